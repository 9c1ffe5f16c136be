<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Exception\WebhookVerificationException;

/** Verifies received webhooks, and signs them for tests. */
final class Webhook
{
    private const DEFAULT_TOLERANCE_SECONDS = 300;

    /** Longer headers are not parsed. */
    private const MAX_HEADER_LENGTH = 4_096;

    /**
     * Verifies either signature of a webhook in constant time: the platform's own (`X-Tenancy-Signature`) or that of
     * Standard Webhooks. Use the event's `id` to detect repeated deliveries.
     *
     * @param array<string, string|list<string>> $headers the request's headers: `getallheaders()`, those of a PSR-7
     *     request, or `$_SERVER`
     * @param string $body the raw body, such as `file_get_contents('php://input')`
     * @param string|list<string> $secret the endpoint's signing secret, or several during the grace period of a rotation
     * @param int $tolerance allowed age of the timestamp in seconds, in either direction
     * @return array<string, mixed> the event
     * @throws WebhookVerificationException when verification fails
     * @throws \InvalidArgumentException without a secret
     */
    public static function verify(
        array $headers,
        string $body,
        #[\SensitiveParameter]
        string|array $secret,
        int $tolerance = self::DEFAULT_TOLERANCE_SECONDS,
    ): array {
        $secrets = (array) $secret;
        if ($secrets === [] || array_filter($secrets, static fn ($text) => !is_string($text) || $text === '') !== []) {
            throw new \InvalidArgumentException("Webhook::verify needs the endpoint's signing secret");
        }
        $values = self::normalizeHeaders($headers);
        $claims = array_filter([self::parsePlatformSignature($values), self::parseStandardSignature($values)]);
        if ($claims === []) {
            throw new WebhookVerificationException('signature_missing');
        }
        $recent = array_filter($claims, static fn (array $claim) => abs(time() - $claim['timestamp']) <= $tolerance);
        if ($recent === []) {
            throw new WebhookVerificationException('timestamp_outside_tolerance');
        }
        $isMatch = false;
        foreach ($recent as $claim) {
            $isMatch = self::matches($claim, $secrets, $body) || $isMatch;
        }
        if (!$isMatch) {
            throw new WebhookVerificationException('signature_mismatch');
        }
        return self::parseEvent($body) ?? throw new WebhookVerificationException('invalid_body');
    }

    /**
     * Signs an event with both signature schemes, for tests of a receiver.
     *
     * @param string|array<string, mixed> $event an event, or its JSON
     * @param string $secret the signing secret: `whsec_` and base64
     * @param int|null $timestamp seconds since 1970; now by default
     * @return array{headers: array<string, string>, body: string}
     * @throws \InvalidArgumentException for a secret or an event of another form
     */
    public static function sign(
        string|array $event,
        #[\SensitiveParameter]
        string $secret,
        ?int $timestamp = null,
    ): array {
        $key = self::decodeStandardSecret($secret);
        if (!$key) {
            throw new \InvalidArgumentException('Webhook::sign needs a signing secret: whsec_ and base64');
        }
        $body = is_string($event)
            ? $event
            : json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $parsed = self::parseEvent($body);
        if ($parsed === null) {
            throw new \InvalidArgumentException('Webhook::sign needs an event with an id and a type');
        }
        ['id' => $id, 'type' => $type] = $parsed;
        $timestamp ??= time();
        return [
            'headers' => [
                'content-type' => 'application/json',
                'x-tenancy-event' => $type,
                'x-tenancy-delivery' => $id,
                'x-tenancy-signature' => "t=$timestamp,v1=" . hash_hmac('sha256', "$timestamp.$body", $secret),
                'webhook-id' => $id,
                'webhook-timestamp' => (string) $timestamp,
                'webhook-signature' => 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true)),
            ],
            'body' => $body,
        ];
    }

    /**
     * @param array<string, string|list<string>> $headers
     * @return array<string, string> with names in lower case
     */
    private static function normalizeHeaders(array $headers): array
    {
        $values = [];
        foreach ($headers as $name => $value) {
            // $_SERVER has `HTTP_X_TENANCY_SIGNATURE`.
            $name = str_replace('_', '-', preg_replace('/^http_/', '', strtolower((string) $name)));
            $text = implode(',', array_filter((array) $value, is_scalar(...)));
            $values[$name] = strlen($text) > self::MAX_HEADER_LENGTH ? '' : $text;
        }
        return $values;
    }

    /**
     * Parses `t=<seconds>,v1=<hex>`, with one `v1` per active secret. The HMAC uses the whole secret.
     *
     * @param array<string, string> $headers
     * @return array{prefix: string, timestamp: int, signatures: list<string>, isStandard: bool}|null
     */
    private static function parsePlatformSignature(array $headers): ?array
    {
        $timestamp = '';
        $signatures = [];
        foreach (array_map(trim(...), explode(',', $headers['x-tenancy-signature'] ?? '')) as $part) {
            if (str_starts_with($part, 't=') && $timestamp === '') {
                $timestamp = substr($part, 2);
            }
            if (preg_match('/^v1=([0-9a-f]{64})$/Di', $part, $match) === 1) {
                $signatures[] = hex2bin($match[1]);
            }
        }
        return self::isSeconds($timestamp) && $signatures !== []
            ? ['prefix' => "$timestamp.", 'timestamp' => (int) $timestamp, 'signatures' => $signatures, 'isStandard' => false]
            : null;
    }

    /**
     * Parses `v1,<base64>`, one per active secret. The HMAC uses the decoded secret.
     *
     * @param array<string, string> $headers
     * @return array{prefix: string, timestamp: int, signatures: list<string>, isStandard: bool}|null
     */
    private static function parseStandardSignature(array $headers): ?array
    {
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        $signatures = [];
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $part) {
            $signature = str_starts_with($part, 'v1,') ? base64_decode(substr($part, 3), true) : false;
            if ($signature !== false) {
                $signatures[] = $signature;
            }
        }
        return $id !== '' && self::isSeconds($timestamp) && $signatures !== []
            ? ['prefix' => "$id.$timestamp.", 'timestamp' => (int) $timestamp, 'signatures' => $signatures, 'isStandard' => true]
            : null;
    }

    private static function isSeconds(string $text): bool
    {
        return preg_match('/^\d{1,12}$/D', $text) === 1;
    }

    /**
     * Checks whether any signature matches. All are compared, so the time does not depend on the match.
     *
     * @param array{prefix: string, timestamp: int, signatures: list<string>, isStandard: bool} $claim
     * @param list<string> $secrets
     */
    private static function matches(array $claim, array $secrets, string $body): bool
    {
        $isMatch = false;
        foreach ($secrets as $secret) {
            $key = $claim['isStandard'] ? self::decodeStandardSecret($secret) : $secret;
            if (!$key) {
                continue;
            }
            $expected = hash_hmac('sha256', $claim['prefix'] . $body, $key, true);
            foreach ($claim['signatures'] as $signature) {
                $isMatch = hash_equals($expected, $signature) || $isMatch;
            }
        }
        return $isMatch;
    }

    private static function decodeStandardSecret(string $secret): string|false
    {
        return base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    }

    /** @return array<string, mixed>|null */
    private static function parseEvent(string $body): ?array
    {
        $event = json_decode($body, true);
        return is_array($event) && is_string($event['id'] ?? null) && is_string($event['type'] ?? null) ? $event : null;
    }
}
