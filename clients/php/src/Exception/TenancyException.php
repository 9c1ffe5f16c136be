<?php

declare(strict_types=1);

namespace Tenancy\Exception;

/**
 * An error response of the platform, or a call without a valid response.
 *
 * A platform newer than this client may send additional codes.
 */
class TenancyException extends \RuntimeException
{
    /**
     * @param string $operation name of the operation, such as `stores.create`
     * @param string $errorCode the stable error code; see `Tenancy\ErrorCode`
     * @param int $status HTTP status; 0 without a response
     * @param array<string, list<string>> $errors field to error messages
     * @param string|null $requestId identifies the request in the platform's log; null without a response
     * @param int|null $retryAfter seconds to wait before a retry; null when the response does not say
     */
    final public function __construct(
        string $message,
        public readonly string $operation,
        public readonly string $errorCode,
        public readonly int $status = 0,
        public readonly array $errors = [],
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $status, $previous);
    }

    /** Returns the class of the errors with a status. @return class-string<self> */
    public static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationException::class,
            $status === 403 => PermissionDeniedException::class,
            $status === 404 => NotFoundException::class,
            $status === 409, $status === 412 => ConflictException::class,
            $status === 400, $status === 422 => ValidationException::class,
            $status === 429 => RateLimitException::class,
            $status >= 500 => ServerException::class,
            default => self::class,
        };
    }
}
