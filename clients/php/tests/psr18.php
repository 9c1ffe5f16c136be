<?php

// The used parts of PSR-7, PSR-17 and PSR-18, and a client of them on PHP's HTTP streams, for tests without Composer.

declare(strict_types=1);

namespace Psr\Http\Client {
    interface ClientExceptionInterface extends \Throwable
    {
    }

    interface ClientInterface
    {
        public function sendRequest(\Psr\Http\Message\RequestInterface $request): \Psr\Http\Message\ResponseInterface;
    }
}

namespace Psr\Http\Message {
    interface StreamInterface extends \Stringable
    {
    }

    interface RequestInterface
    {
    }

    interface ResponseInterface
    {
    }

    interface RequestFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface;
    }

    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace {
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\StreamFactoryInterface;
    use Psr\Http\Message\StreamInterface;

    final class Message implements RequestInterface, ResponseInterface
    {
        public array $headers = [];
        public ?StreamInterface $body = null;

        public function __construct(public string $method = '', public string $uri = '', public int $status = 0)
        {
        }

        public function withHeader(string $name, string $value): self
        {
            $copy = clone $this;
            $copy->headers[$name] = [$value];
            return $copy;
        }

        public function withBody(StreamInterface $body): self
        {
            $copy = clone $this;
            $copy->body = $body;
            return $copy;
        }

        public function getHeaders(): array
        {
            return $this->headers;
        }

        public function getBody(): StreamInterface
        {
            return $this->body;
        }

        public function getStatusCode(): int
        {
            return $this->status;
        }
    }

    final class Text implements StreamInterface
    {
        public function __construct(private readonly string $text)
        {
        }

        public function __toString(): string
        {
            return $this->text;
        }
    }

    final class Factory implements RequestFactoryInterface, StreamFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface
        {
            return new Message($method, (string) $uri);
        }

        public function createStream(string $content = ''): StreamInterface
        {
            return new Text($content);
        }
    }

    final class StreamFailure extends RuntimeException implements ClientExceptionInterface
    {
    }

    final class StreamClient implements ClientInterface
    {
        public function sendRequest(RequestInterface $request): ResponseInterface
        {
            $lines = [];
            foreach ($request->headers as $name => $values) {
                $lines[] = "$name: $values[0]";
            }
            $context = stream_context_create(['http' => [
                'method' => $request->method,
                'header' => [...$lines, 'Connection: close'],
                'content' => (string) $request->body,
                'ignore_errors' => true,
                'follow_location' => 0,
                'protocol_version' => 1.1,
            ]]);
            try {
                $body = file_get_contents($request->uri, false, $context);
            } catch (ErrorException $error) {
                throw new StreamFailure($error->getMessage());
            }
            $response = new Message();
            foreach ($http_response_header as $line) {
                if (preg_match('~^HTTP/\S+ (\d+)~', $line, $match) === 1) {
                    $response->status = (int) $match[1];
                } else {
                    [$name, $value] = explode(':', $line, 2);
                    $response->headers[$name][] = trim($value);
                }
            }
            return $response->withBody(new Text($body));
        }
    }
}
