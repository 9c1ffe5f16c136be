"""Runs the cases of clients/cases.json: reads a command per line as JSON and prints its result."""

import json
import sys
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import tenancy  # noqa: E402


def to_snake_case(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def run(command):
    if "verify" in command:
        given = command["verify"]
        options = {"tolerance": given["tolerance"]} if "tolerance" in given else {}
        return tenancy.verify_webhook(given["headers"], given["body"], given["secret"], **options)
    if "sign" in command:
        given = command["sign"]
        signed = tenancy.sign_webhook(given["event"], given["secret"], timestamp=given["timestamp"])
        return {"headers": signed.headers, "body": signed.body}
    given = command["client"]
    settings = {
        name: given[key] for name, key in (("timeout", "timeout"), ("max_retries", "maxRetries")) if key in given
    }
    client = tenancy.Tenancy(
        base_url=given["baseUrl"],
        key=given["key"],
        on_retry=lambda retry: delays.append(retry.delay),
        sleep=lambda seconds: time.sleep(min(seconds, 0.02)),
        **settings,
    )
    resource, verb = command["call"].split(".")
    method = getattr(getattr(client, resource), to_snake_case(verb))
    options = {to_snake_case(name): value for name, value in command.get("options", {}).items()}
    result = method(*command.get("ids", []), **command.get("input", {}), **({"options": options} if options else {}))
    read = command.get("read")
    if read is None:
        return result
    if "page" in read:
        page = result.page(read["page"])
        return {"data": page.data, "meta": page.meta}
    if "take" in read:
        return list(islice(result, read["take"])) if verb == "follow" else result.take(read["take"])
    return result.all()


def describe(error):
    if isinstance(error, tenancy.TenancyError):
        return {
            "type": type(error).__name__.replace("Error", ""),
            "code": error.code,
            "status": error.status,
            "message": error.message,
            "errors": error.errors,
            "retryAfter": error.retry_after,
            "requestId": error.request_id,
            "operation": error.operation,
        }
    if isinstance(error, tenancy.WebhookVerificationError):
        return {"code": error.code}
    if isinstance(error, (TypeError, ValueError)):
        return {"type": "Usage"}
    raise error


for line in sys.stdin:
    delays = []
    try:
        answer = {"result": run(json.loads(line))}
    except Exception as error:
        answer = {"error": describe(error)}
    print(json.dumps({**answer, "delays": delays}), flush=True)
