// Describes path parameters, except those of apps, by name or by the path segment before them and their name. The
// examples exist in the demo data, except ids of events, which are random.

export interface PathParameter {
  description: string
  integer?: boolean
  example: string | number
}

export const PATH_PARAMETERS: Record<string, PathParameter> = {
  "stores :id": { description: "Id of the store.", example: "acme" },
  ":reference": { description: "Reference of the order.", example: "PO-000123" },
  ":slug": { description: "Slug of the plan.", example: "starter" },
  ":code": { description: "Code of the coupon, in any case.", example: "SPRING30" },
  "keys :id": { description: "Id of the API key.", integer: true, example: 2 },
  "apps :slug": { description: "Slug of the app.", example: "reviews" },
  ":domain": { description: "Id or host name of the domain.", example: "shop.example" },
  "webhooks :id": { description: "Id of the endpoint.", integer: true, example: 1 },
  "deliveries :id": { description: "Id of the delivery.", integer: true, example: 157286401 },
  "events :id": { description: "Id of the event.", example: "01K4YQZ0M8T3V6N9R2B5C7D1EF" },
  "posts :id": { description: "Id or slug of the post.", example: "pictures-that-sell" },
  "categories :id": { description: "Id or slug of the category.", example: "product-news" },
  "tags :id": { description: "Id or slug of the tag.", example: "photography" },
  "pages :id": { description: "Id or slug of the page.", example: "about" },
  "device-tokens :id": { description: "Id of the device.", example: "2" },
  "notifications :id": { description: "Id of the inbox item.", example: "1" },
  "activated-product-activations :id": { description: "Id of the activation.", example: "42" },
  ":n": { description: "Number of the revision.", integer: true, example: 1 },
  ":id": { description: "Id of the resource.", example: "1" },
  ":folder": { description: "Id of the folder.", integer: true, example: 1 },
  ":file": { description: "Id of the file.", integer: true, example: 1 },
  ":product": { description: "Reference id or id of the product.", example: "ACME-SEO" },
  ":version": { description: "Public id of the version.", example: "ACME-SEO-1.5.0" },
  ":license": { description: "Id or code of the license.", example: "42" },
  ":type": { description: "Which file: `main` or `sql`.", example: "main" },
}
