<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Exception\ConnectionFailedException;
use Tenancy\Exception\InvalidResponseException;
use Tenancy\Exception\RequestTimeoutException;
use Tenancy\Exception\TenancyException;
use Tenancy\Http\HttpClient;
use Tenancy\Http\HttpRequest;
use Tenancy\Http\HttpResponse;
use Tenancy\Http\NetworkException;

/** Sends API requests with retries, backoff and idempotency keys. */
final class Transport
{
    private const BASE_PATH = '/api/platform/v1';

    /** Delay before the first retry; doubles with each retry. */
    private const INITIAL_BACKOFF_SECONDS = 0.25;
    private const MAX_BACKOFF_SECONDS = 8.0;

    /** A longer Retry-After is thrown instead of waited for. */
    private const MAX_RETRY_AFTER_SECONDS = 120;

    private readonly string $base;

    /** @var array<string, string> */
    private readonly array $headers;

    /**
     * @param array<string, string> $headers
     * @param (\Closure(ResponseInfo): void)|null $onResponse
     * @param (\Closure(RetryInfo): void)|null $onRetry
     * @param \Closure(float): void $sleep
     * @throws \InvalidArgumentException
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter]
        string $key,
        private readonly float $timeout,
        private readonly int $maxRetries,
        array $headers,
        private readonly ?\Closure $onResponse,
        private readonly ?\Closure $onRetry,
        private readonly HttpClient $http,
        private readonly \Closure $sleep,
    ) {
        if (preg_match('~^(https?://[^/?#\s]+)(?:[/?#]|$)~i', $baseUrl, $match) !== 1) {
            throw new \InvalidArgumentException(
                "baseUrl must be an origin such as https://shops.example.com, not \"$baseUrl\"",
            );
        }
        if (preg_match('/^[\x21-\x7e]+$/D', $key) !== 1) {
            throw new \InvalidArgumentException('key must be an API key');
        }
        self::assertOptions($timeout, $maxRetries);
        $this->base = $match[1] . self::BASE_PATH;
        $this->headers = ['Accept' => 'application/json', 'Authorization' => "Bearer $key"] + $headers;
    }

    /**
     * Sends a call with retries.
     *
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @param float $wait seconds of long polling, added to the timeout
     * @return array<string, mixed>|null the JSON of the response; null without a body
     * @throws TenancyException
     */
    public function request(
        string $operation,
        string $method,
        string $path,
        ?array $query = null,
        ?array $body = null,
        ?RequestOptions $options = null,
        float $wait = 0,
    ): ?array {
        $maxRetries = $options?->maxRetries ?? $this->maxRetries;
        $timeout = $options?->timeout ?? $this->timeout;
        self::assertOptions($timeout, $maxRetries);
        // Built once, so that all attempts of a write share one idempotency key.
        $request = $this->buildRequest($method, $path, $query ?? [], $body, $options, $timeout + $wait);
        for ($retries = 0; ; $retries++) {
            try {
                return $this->try($operation, $request, $retries + 1);
            } catch (TenancyException $error) {
                if ($retries >= $maxRetries || !self::isRetryable($error)) {
                    throw $error;
                }
                $delay = self::computeBackoff($retries, $error->retryAfter);
                if ($this->onRetry !== null) {
                    ($this->onRetry)(new RetryInfo($operation, $retries + 1, $error, $delay));
                }
            }
            $this->sleep($delay);
        }
    }

    /** Waits. */
    public function sleep(float $seconds): void
    {
        ($this->sleep)($seconds);
    }

    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     */
    private function buildRequest(
        string $method,
        string $path,
        array $query,
        ?array $body,
        ?RequestOptions $options,
        float $timeout,
    ): HttpRequest {
        $values = array_map(self::toQueryText(...), array_filter($query, static fn ($value) => $value !== null));
        $url = $this->base . $path . ($values ? '?' . http_build_query($values, '', '&', PHP_QUERY_RFC3986) : '');
        $headers = ($options?->headers ?? []) + $this->headers;
        if ($method !== 'GET') {
            $headers['Idempotency-Key'] = $options?->idempotencyKey ?? bin2hex(random_bytes(16));
        }
        $content = null;
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
            // An empty array would become a list.
            $content = json_encode(
                (object) $body,
                JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION,
            );
        }
        return new HttpRequest($method, $url, $headers, $content, $timeout);
    }

    /** @return array<string, mixed>|null */
    private function try(string $operation, HttpRequest $request, int $attempt): ?array
    {
        $startedAt = microtime(true);
        try {
            $response = $this->http->send($request);
        } catch (NetworkException $error) {
            if ($error->isTimeout) {
                $message = "No response within $request->timeout s";
                throw new RequestTimeoutException($message, $operation, 'timeout', previous: $error);
            }
            $message = "The connection failed: {$error->getMessage()}";
            throw new ConnectionFailedException($message, $operation, 'connection_failed', previous: $error);
        }
        if ($this->onResponse !== null) {
            ($this->onResponse)(new ResponseInfo(
                $operation,
                $request->method,
                $request->url,
                $attempt,
                $response->status,
                $response->headers['x-request-id'] ?? null,
                $response->headers,
                microtime(true) - $startedAt,
            ));
        }
        return self::parseResponse($operation, $response);
    }

    /** @return array<string, mixed>|null */
    private static function parseResponse(string $operation, HttpResponse $response): ?array
    {
        $isSuccess = $response->status >= 200 && $response->status < 300;
        if ($isSuccess && $response->body === '') {
            return null;
        }
        $parsed = json_decode($response->body, true);
        $requestId = $response->headers['x-request-id'] ?? null;
        if ($isSuccess) {
            if (is_array($parsed)) {
                return $parsed;
            }
            $message = 'The response is not JSON';
            throw new InvalidResponseException($message, $operation, 'invalid_answer', $response->status, [], $requestId);
        }
        $parsed = is_array($parsed) ? $parsed : [];
        $error = is_array($parsed['error'] ?? null) ? $parsed['error'] : [];
        throw new (TenancyException::classOf($response->status))(
            $error['message'] ?? "The response has status $response->status",
            $operation,
            $error['code'] ?? 'http_error',
            $response->status,
            $parsed['errors'] ?? [],
            $requestId,
            self::parseRetryAfter($response->headers['retry-after'] ?? ''),
        );
    }

    private static function isRetryable(TenancyException $error): bool
    {
        if (($error->retryAfter ?? 0) > self::MAX_RETRY_AFTER_SECONDS) {
            return false;
        }
        return $error->status === 429
            || $error->status >= 500
            || in_array($error->errorCode, ['connection_failed', 'timeout', 'invalid_answer'], true)
            // The first attempt of a write may still be in progress when it is retried.
            || $error->errorCode === ErrorCode::IDEMPOTENCY_IN_PROGRESS;
    }

    /** Parses a Retry-After in seconds or as a date (RFC 9110, 10.2.3); returns seconds. */
    private static function parseRetryAfter(string $text): ?int
    {
        $text = trim($text);
        if (preg_match('/^\d{1,10}$/D', $text) === 1) {
            return (int) $text;
        }
        $date = $text === '' ? false : strtotime($text);
        return $date === false ? null : max(0, $date - time());
    }

    /** Computes the delay before a retry: Retry-After, else exponential backoff, with jitter. */
    private static function computeBackoff(int $made, ?int $retryAfter): float
    {
        $random = random_int(0, 1_000_000) / 1_000_000;
        return $retryAfter === null
            ? min(self::MAX_BACKOFF_SECONDS, self::INITIAL_BACKOFF_SECONDS * 2 ** $made) * (0.5 + $random / 2)
            : $retryAfter + self::INITIAL_BACKOFF_SECONDS * $random;
    }

    private static function toQueryText(mixed $value): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => implode(',', $value),
            default => (string) $value,
        };
    }

    private static function assertOptions(float $timeout, int $maxRetries): void
    {
        if ($timeout <= 0) {
            throw new \InvalidArgumentException('timeout must be a number of seconds above 0');
        }
        if ($maxRetries < 0) {
            throw new \InvalidArgumentException('maxRetries must be a whole number');
        }
    }
}
