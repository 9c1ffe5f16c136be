<?php

declare(strict_types=1);

namespace Tenancy\Http;

/** Sends requests. It must not follow redirects, which would send the API key to another host. */
interface HttpClient
{
    /** @throws NetworkException without a complete response */
    public function send(HttpRequest $request): HttpResponse;
}
