<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/** A webhook that must not be trusted. */
final class WebhookVerificationException extends \RuntimeException
{
    private const MESSAGES = [
        'signature_missing' => 'The webhook has no valid signature header',
        'timestamp_outside_tolerance' => "The webhook's timestamp is outside the tolerance",
        'signature_mismatch' => 'No signature of the webhook matches its body and the given secrets',
        'invalid_body' => "The webhook's body is not an event",
    ];

    /** @param key-of<self::MESSAGES> $errorCode */
    public function __construct(public readonly string $errorCode)
    {
        parent::__construct(self::MESSAGES[$errorCode]);
    }
}
