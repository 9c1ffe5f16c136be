<?php

declare(strict_types=1);

namespace Tenancy;

/** Base class of the resources. */
abstract class AbstractResource
{
    final public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Encodes the variable segments of a path.
     *
     * @param array<string, string|int> $segments
     * @throws \InvalidArgumentException for an empty segment, `.` or `..`, which would change the path
     */
    protected static function buildPath(string $template, array $segments): string
    {
        $encoded = [];
        foreach ($segments as $name => $value) {
            if (in_array((string) $value, ['', '.', '..'], true)) {
                throw new \InvalidArgumentException("$name must name a resource, not \"$value\"");
            }
            $encoded['{' . $name . '}'] = rawurlencode((string) $value);
        }
        return strtr($template, $encoded);
    }

    /**
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     */
    protected function callBody(
        string $operation,
        string $method,
        string $path,
        ?array $query = null,
        ?array $body = null,
        ?RequestOptions $options = null,
    ): array {
        return $this->transport->request($operation, $method, $path, $query, $body, $options) ?? [];
    }

    /**
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @return array<mixed>
     */
    protected function callData(
        string $operation,
        string $method,
        string $path,
        ?array $query = null,
        ?array $body = null,
        ?RequestOptions $options = null,
    ): array {
        return $this->callBody($operation, $method, $path, $query, $body, $options)['data'];
    }

    /**
     * Returns `data` with the other members of the response, such as the secret of a new endpoint.
     *
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>
     */
    protected function callMerged(
        string $operation,
        string $method,
        string $path,
        ?array $query = null,
        ?array $body = null,
        ?RequestOptions $options = null,
    ): array {
        $response = $this->callBody($operation, $method, $path, $query, $body, $options);
        $data = $response['data'];
        unset($response['data']);
        return $data + $response;
    }

    /**
     * @param array<string, mixed>|null $query
     * @param array<string, mixed>|null $body
     */
    protected function callNothing(
        string $operation,
        string $method,
        string $path,
        ?array $query = null,
        ?array $body = null,
        ?RequestOptions $options = null,
    ): void {
        $this->transport->request($operation, $method, $path, $query, $body, $options);
    }

    /** @param array<string, mixed> $query */
    protected function callList(
        string $operation,
        string $method,
        string $path,
        array $query = [],
        ?RequestOptions $options = null,
        bool $isPaginated = true,
    ): PagedList {
        $read = fn (array $values): array => $this->callBody($operation, $method, $path, $values, null, $options);
        return new PagedList($read, $query, $isPaginated);
    }
}
