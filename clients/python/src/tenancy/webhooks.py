"""Verifies received webhooks, and signs them for tests."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

DEFAULT_TOLERANCE_SECONDS = 300

#: Longer headers are not parsed.
_MAX_HEADER_LENGTH = 4_096

_MESSAGES = {
    "signature_missing": "The webhook has no valid signature header",
    "timestamp_outside_tolerance": "The webhook's timestamp is outside the tolerance",
    "signature_mismatch": "No signature of the webhook matches its body and the given secrets",
    "invalid_body": "The webhook's body is not an event",
}


class WebhookVerificationError(Exception):
    """Raised for a webhook that must not be trusted.

    ``code`` is ``signature_missing``, ``timestamp_outside_tolerance``, ``signature_mismatch`` or ``invalid_body``.
    """

    def __init__(self, code: str) -> None:
        super().__init__(_MESSAGES[code])
        self.code = code


@dataclass
class SignedWebhook:
    """A webhook as the platform sends it."""

    headers: Dict[str, str]
    body: str


@dataclass
class _Claim:
    """The parsed headers of one signature scheme."""

    prefix: str
    timestamp: int
    signatures: List[bytes]
    #: Derives the HMAC key from a secret; None for an invalid secret.
    get_key: Callable[[str], Optional[bytes]]


def verify_webhook(
    headers: Mapping[str, str],
    body: Union[bytes, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: int = DEFAULT_TOLERANCE_SECONDS,
) -> Dict[str, Any]:
    """Verifies either signature of a webhook in constant time and returns the event.

    It accepts the platform's own (``X-Tenancy-Signature``) and that of Standard Webhooks. Use the event's ``id`` to
    detect repeated deliveries.

    :param headers: the request's headers, of any framework
    :param body: the raw body; a parsed and serialized body cannot be verified
    :param secret: the endpoint's signing secret, or several during the grace period of a rotation
    :param tolerance: allowed age of the timestamp in seconds, in either direction
    :raises WebhookVerificationError: when verification fails
    :raises TypeError: without a secret or the raw body
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets or not all(isinstance(text, str) and text for text in secrets):
        raise TypeError("verify_webhook needs the endpoint's signing secret")
    if not isinstance(body, (bytes, bytearray, str)):
        raise TypeError("verify_webhook needs the raw body as bytes or text, not a parsed object")
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    values = {name.lower(): str(value) for name, value in headers.items()}

    def read(name: str) -> str:
        text = values.get(name, "")
        return "" if len(text) > _MAX_HEADER_LENGTH else text

    claims = [claim for claim in (_parse_platform(read), _parse_standard(read)) if claim]
    if not claims:
        raise WebhookVerificationError("signature_missing")
    now = time.time()
    recent = [claim for claim in claims if abs(now - claim.timestamp) <= tolerance]
    if not recent:
        raise WebhookVerificationError("timestamp_outside_tolerance")
    if not any([_matches(claim, secrets, content) for claim in recent]):
        raise WebhookVerificationError("signature_mismatch")
    event = _parse_event(content)
    if event is None:
        raise WebhookVerificationError("invalid_body")
    return event


def sign_webhook(event: Union[str, Mapping[str, Any]], secret: str, *, timestamp: Optional[int] = None) -> SignedWebhook:
    """Signs an event with both signature schemes, for tests of a receiver.

    :param event: an event, or its JSON
    :param secret: the signing secret: ``whsec_`` and base64
    :param timestamp: seconds since 1970; now by default
    :raises TypeError: for a secret or an event of another form
    """
    key = _decode_standard_secret(secret) if isinstance(secret, str) else None
    if not key:
        raise TypeError("sign_webhook needs a signing secret: whsec_ and base64")
    body = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    content = body.encode("utf-8")
    parsed = _parse_event(content)
    if parsed is None:
        raise TypeError("sign_webhook needs an event with an id and a type")
    seconds = int(time.time()) if timestamp is None else timestamp
    event_id = parsed["id"]
    platform = _hmac(secret.encode(), f"{seconds}.".encode() + content)
    standard = _hmac(key, f"{event_id}.{seconds}.".encode() + content)
    return SignedWebhook(
        {
            "content-type": "application/json",
            "x-tenancy-event": parsed["type"],
            "x-tenancy-delivery": event_id,
            "x-tenancy-signature": f"t={seconds},v1={platform.hex()}",
            "webhook-id": event_id,
            "webhook-timestamp": str(seconds),
            "webhook-signature": f"v1,{base64.b64encode(standard).decode()}",
        },
        body,
    )


def _parse_platform(read: Callable[[str], str]) -> Optional[_Claim]:
    """Parses ``t=<seconds>,v1=<hex>``, with one ``v1`` per active secret. The HMAC uses the whole secret."""
    parts = [part.strip() for part in read("x-tenancy-signature").split(",")]
    timestamp = next((part[2:] for part in parts if part.startswith("t=")), "")
    signatures = [bytes.fromhex(part[3:]) for part in parts if re.fullmatch(r"v1=[0-9a-fA-F]{64}", part)]
    if not _is_seconds(timestamp) or not signatures:
        return None
    return _Claim(f"{timestamp}.", int(timestamp), signatures, lambda secret: secret.encode())


def _parse_standard(read: Callable[[str], str]) -> Optional[_Claim]:
    """Parses ``v1,<base64>``, one per active secret. The HMAC uses the decoded secret."""
    event_id, timestamp = read("webhook-id"), read("webhook-timestamp")
    texts = [part[3:] for part in read("webhook-signature").split(" ") if part.startswith("v1,")]
    signatures = [signature for signature in map(_decode_base64, texts) if signature is not None]
    if not event_id or not _is_seconds(timestamp) or not signatures:
        return None
    return _Claim(f"{event_id}.{timestamp}.", int(timestamp), signatures, _decode_standard_secret)


def _is_seconds(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,12}", text) is not None


def _matches(claim: _Claim, secrets: List[str], content: bytes) -> bool:
    """Checks whether any signature matches. All are compared, so the time does not depend on the match."""
    signed = claim.prefix.encode("utf-8", "replace") + content
    is_match = False
    for secret in secrets:
        key = claim.get_key(secret)
        if not key:
            continue
        expected = _hmac(key, signed)
        for signature in claim.signatures:
            is_match = hmac.compare_digest(expected, signature) or is_match
    return is_match


def _hmac(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()


def _decode_standard_secret(secret: str) -> Optional[bytes]:
    return _decode_base64(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)


def _decode_base64(text: str) -> Optional[bytes]:
    """Decodes base64 with or without padding; None when it is invalid."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _parse_event(content: bytes) -> Optional[Dict[str, Any]]:
    try:
        event = json.loads(content.decode("utf-8"))
    except ValueError:
        return None
    is_event = isinstance(event, dict) and isinstance(event.get("id"), str) and isinstance(event.get("type"), str)
    return event if is_event else None
