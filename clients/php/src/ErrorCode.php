<?php

// Generated from openapi/platform.json by `npm run docs`; do not edit.

declare(strict_types=1);

namespace Tenancy;

/** Values of TenancyException::$errorCode. */
final class ErrorCode
{
    public const ALREADY_TAKEN = 'already_taken';
    public const API_DISABLED = 'api_disabled';
    public const CONFIRM_MISMATCH = 'confirm_mismatch';
    public const CURSOR_EXPIRED = 'cursor_expired';
    public const DELIVERY_NOT_RETRYABLE = 'delivery_not_retryable';
    public const FORBIDDEN = 'forbidden';
    public const HTTP_ERROR = 'http_error';
    public const IDEMPOTENCY_IN_PROGRESS = 'idempotency_in_progress';
    public const IDEMPOTENCY_MISMATCH = 'idempotency_mismatch';
    public const ILLEGAL_TRANSITION = 'illegal_transition';
    public const INSUFFICIENT_SCOPE = 'insufficient_scope';
    public const INVALID_KEY = 'invalid_key';
    public const KEY_EXPIRED = 'key_expired';
    public const KEY_REVOKED = 'key_revoked';
    public const LIMIT_REACHED = 'limit_reached';
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';
    public const NO_PLAN = 'no_plan';
    public const NO_SUBSCRIPTION = 'no_subscription';
    public const NO_TENANT = 'no_tenant';
    public const NOT_ENTITLED = 'not_entitled';
    public const NOT_FOUND = 'not_found';
    public const NOT_PROVISIONED = 'not_provisioned';
    public const NOT_REMOVABLE = 'not_removable';
    public const OFFLINE_DISABLED = 'offline_disabled';
    public const ORDER_ALREADY_OPEN = 'order_already_open';
    public const ORDER_NOT_PENDING = 'order_not_pending';
    public const PLAN_TOO_SMALL = 'plan_too_small';
    public const PLAN_UNAVAILABLE = 'plan_unavailable';
    public const PLAN_UPGRADE_REQUIRED = 'plan_upgrade_required';
    public const PRECONDITION_FAILED = 'precondition_failed';
    public const RATE_LIMITED = 'rate_limited';
    public const RECOVERY_RUNNING = 'recovery_running';
    public const REQUIREMENT_NOT_ENTITLED = 'requirement_not_entitled';
    public const SAME_PLAN = 'same_plan';
    public const SERVER_ERROR = 'server_error';
    public const STILL_PROVISIONING = 'still_provisioning';
    public const STILL_REQUIRED = 'still_required';
    public const STORE_UNAVAILABLE = 'store_unavailable';
    public const STRIPE_MANAGED = 'stripe_managed';
    public const SUBDOMAIN_RESERVED = 'subdomain_reserved';
    public const SUBDOMAIN_TAKEN = 'subdomain_taken';
    public const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable';
    public const THEME_NOT_ENTITLED = 'theme_not_entitled';
    public const THEME_REQUIREMENT_NOT_ENTITLED = 'theme_requirement_not_entitled';
    public const THEME_UNAVAILABLE = 'theme_unavailable';
    public const UNAUTHENTICATED = 'unauthenticated';
    public const USAGE_UNAVAILABLE = 'usage_unavailable';
    public const VALIDATION_FAILED = 'validation_failed';
    public const VERIFY_FIRST = 'verify_first';
}
