<?php

declare(strict_types=1);

namespace Tenancy;

/** A page of a list. */
final class Page
{
    /**
     * @param list<array<string, mixed>> $data
     * @param array<string, mixed> $meta
     */
    public function __construct(public readonly array $data, public readonly array $meta)
    {
    }
}
