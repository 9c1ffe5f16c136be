// Describes and names the HTTP statuses of the documents.

export const STATUS_DESCRIPTIONS: Record<number, string> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No content",
  206: "Partial content",
  304: "Not modified",
  400: "Malformed request",
  401: "Authentication failed",
  403: "Permission denied",
  404: "Not found",
  409: "Conflict with the current state",
  410: "No longer available",
  412: "Changed since it was read",
  413: "Body too large",
  415: "Unsupported media type",
  416: "Range not satisfiable",
  422: "Invalid fields",
  429: "Rate limit exceeded",
  500: "Internal error",
  502: "The payment provider cannot be reached",
  503: "Temporarily unavailable",
}

/** Component names of responses that several operations share. */
export const STATUS_NAMES: Record<number, string> = {
  304: "NotModified",
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  429: "TooManyRequests",
  500: "ServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
}
