<?php

declare(strict_types=1);

namespace Tenancy;

use Tenancy\Http\CurlHttpClient;
use Tenancy\Http\HttpClient;

/**
 * A client of the control plane.
 *
 * Operations return the resource as an array. Failed calls throw a `TenancyException`. Calls are retried after a 429, a
 * 5xx or a network error; all attempts of a write share one Idempotency-Key, so it takes effect once.
 */
final class Tenancy
{
    public readonly Operations\PlatformOperations $platform;
    public readonly Operations\MeOperations $me;
    public readonly Operations\KeysOperations $keys;
    public readonly Operations\PlansOperations $plans;
    public readonly Operations\CouponsOperations $coupons;
    public readonly Stores $stores;
    public readonly Operations\SubscriptionsOperations $subscriptions;
    public readonly Operations\UsageOperations $usage;
    public readonly Operations\AuditOperations $audit;
    public readonly Operations\DomainsOperations $domains;
    public readonly Operations\AppsOperations $apps;
    public readonly Operations\WebhooksOperations $webhooks;
    public readonly Operations\DeliveriesOperations $deliveries;
    public readonly Events $events;

    /**
     * @param string $baseUrl the platform's origin, such as `https://shops.example.com`
     * @param string $key an API key
     * @param float $timeout seconds that one attempt may take
     * @param int $maxRetries retries after a 429, a 5xx or a network error
     * @param array<string, string> $headers additional headers of every request
     * @param (\Closure(ResponseInfo): void)|null $onResponse called after every response, also for errors and attempts
     *     that are retried
     * @param (\Closure(RetryInfo): void)|null $onRetry called before the delay of a retry
     * @param HttpClient|null $http sends the requests; ext-curl by default, or a PSR-18 client by `Http\Psr18HttpClient`
     * @param (\Closure(float): void)|null $sleep replaces `usleep`
     * @throws \InvalidArgumentException
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter]
        string $key,
        float $timeout = 30,
        int $maxRetries = 4,
        array $headers = [],
        ?\Closure $onResponse = null,
        ?\Closure $onRetry = null,
        ?HttpClient $http = null,
        ?\Closure $sleep = null,
    ) {
        $transport = new Transport(
            $baseUrl,
            $key,
            $timeout,
            $maxRetries,
            $headers,
            $onResponse,
            $onRetry,
            $http ?? new CurlHttpClient(),
            $sleep ?? static fn (float $seconds) => usleep((int) round($seconds * 1_000_000)),
        );
        $this->platform = new Operations\PlatformOperations($transport);
        $this->me = new Operations\MeOperations($transport);
        $this->keys = new Operations\KeysOperations($transport);
        $this->plans = new Operations\PlansOperations($transport);
        $this->coupons = new Operations\CouponsOperations($transport);
        $this->stores = new Stores($transport);
        $this->subscriptions = new Operations\SubscriptionsOperations($transport);
        $this->usage = new Operations\UsageOperations($transport);
        $this->audit = new Operations\AuditOperations($transport);
        $this->domains = new Operations\DomainsOperations($transport);
        $this->apps = new Operations\AppsOperations($transport);
        $this->webhooks = new Operations\WebhooksOperations($transport);
        $this->deliveries = new Operations\DeliveriesOperations($transport);
        $this->events = new Events($transport);
    }
}
