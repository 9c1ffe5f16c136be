<?php

declare(strict_types=1);

namespace Tenancy\Http;

/** Sends requests with ext-curl. Connections are reused. */
final class CurlHttpClient implements HttpClient
{
    private readonly \CurlHandle $handle;

    public function __construct()
    {
        if (!extension_loaded('curl')) {
            throw new \LogicException('The default HTTP client needs ext-curl; pass another one as `http`');
        }
        $this->handle = curl_init();
    }

    public function send(HttpRequest $request): HttpResponse
    {
        $headers = [];
        $lines = [];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        curl_reset($this->handle);
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            // Without `Expect`, curl does not wait for a 100 before a large body.
            CURLOPT_HTTPHEADER => [...$lines, 'Expect:'],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ceil($request->timeout * 1000),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$headers): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = [];
                }
                [$name, $value] = explode(':', $line, 2) + [1 => null];
                if ($value !== null) {
                    $headers[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($this->handle, CURLOPT_POSTFIELDS, $request->body);
        }
        $body = curl_exec($this->handle);
        if ($body === false) {
            throw new NetworkException(
                curl_error($this->handle),
                curl_errno($this->handle) === CURLE_OPERATION_TIMEDOUT,
            );
        }
        return new HttpResponse(curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }
}
