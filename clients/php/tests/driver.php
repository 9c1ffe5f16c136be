<?php

// Runs the cases of clients/cases.json: reads a command per line as JSON and prints its result. With the argument
// `psr18` it sends requests with a PSR-18 client.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

use Tenancy\Exception\TenancyException;
use Tenancy\Exception\WebhookVerificationException;
use Tenancy\PagedList;
use Tenancy\RequestOptions;
use Tenancy\RetryInfo;
use Tenancy\Tenancy;
use Tenancy\Webhook;

// A warning is a defect.
set_error_handler(static function (int $_, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, E_ERROR, $file, $line);
});

$http = null;
if (($argv[1] ?? '') === 'psr18') {
    require __DIR__ . '/psr18.php';
    $http = new \Tenancy\Http\Psr18HttpClient(new StreamClient(), new Factory(), new Factory());
}

function run(array $command, array &$delays, ?\Tenancy\Http\HttpClient $http): mixed
{
    if (isset($command['verify'])) {
        $given = $command['verify'];
        return Webhook::verify($given['headers'], $given['body'], $given['secret'], $given['tolerance'] ?? 300);
    }
    if (isset($command['sign'])) {
        $given = $command['sign'];
        return Webhook::sign($given['event'], $given['secret'], $given['timestamp']);
    }
    $client = new Tenancy(
        ...$command['client'],
        onRetry: function (RetryInfo $retry) use (&$delays): void {
            $delays[] = $retry->delay;
        },
        http: $http,
        sleep: fn (float $seconds) => usleep((int) min($seconds * 1_000_000, 20_000)),
    );
    [$resource, $verb] = explode('.', $command['call']);
    $arguments = $command['ids'] ?? [];
    $input = $command['input'] ?? null;
    if ($verb === 'follow') {
        $arguments = $input ?? [];
    } elseif ($input !== null) {
        $arguments['input'] = $input;
    }
    if (isset($command['options'])) {
        $arguments['options'] = new RequestOptions(...$command['options']);
    }
    $result = $client->$resource->$verb(...$arguments);
    $read = $command['read'] ?? null;
    return match (true) {
        $read === null => $result,
        isset($read['page']) => get_object_vars($result->page($read['page'])),
        $result instanceof PagedList => isset($read['take']) ? $result->take($read['take']) : $result->all(),
        default => takeFrom($result, $read['take']),
    };
}

/** Reads no event more than it returns, which would wait for one. */
function takeFrom(Generator $items, int $count): array
{
    $taken = [];
    foreach ($items as $item) {
        $taken[] = $item;
        if (count($taken) === $count) {
            break;
        }
    }
    return $taken;
}

function describe(Throwable $error): array
{
    if ($error instanceof TenancyException) {
        return [
            'type' => str_replace('Exception', '', (new ReflectionClass($error))->getShortName()),
            'code' => $error->errorCode,
            'status' => $error->status,
            'message' => $error->getMessage(),
            'errors' => (object) $error->errors,
            'retryAfter' => $error->retryAfter,
            'requestId' => $error->requestId,
            'operation' => $error->operation,
        ];
    }
    if ($error instanceof WebhookVerificationException) {
        return ['code' => $error->errorCode];
    }
    if ($error instanceof InvalidArgumentException || $error instanceof TypeError) {
        return ['type' => 'Usage'];
    }
    throw $error;
}

while (($line = fgets(STDIN)) !== false) {
    $delays = [];
    try {
        $answer = ['result' => run(json_decode($line, true), $delays, $http)];
    } catch (Throwable $error) {
        $answer = ['error' => describe($error)];
    }
    echo json_encode($answer + ['delays' => $delays], JSON_PRESERVE_ZERO_FRACTION), "\n";
}
