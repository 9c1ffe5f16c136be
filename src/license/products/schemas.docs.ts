// Documents the API fields of licensed products.
import { documentFields } from "../../core/http/field-docs"
import { CreateProduct, ProductResource, UpdateProduct } from "./schemas"

const name = { description: "Name of the product.", example: "Acme SEO" }
const referenceId = { description: "Identifier in paths, which clients send as `product_id`.", example: "ACME-SEO" }
const fields = {
  description: { description: "Description of the product.", example: "Search engine texts for shops." },
  marketplace_id: { description: "Id of the product on the marketplace.", example: null },
  envato_id: { description: "Legacy name of `marketplace_id`.", example: null },
  license_update: { description: "Whether downloads of updates require a license.", example: true },
  serve_latest_updates: { description: "Offer the latest version instead of the next one.", example: true },
  is_active: { description: "Licenses are valid only while their product is active." },
}

documentFields(CreateProduct, {
  name,
  reference_id: { ...referenceId, description: "Identifier of the product; generated when omitted." },
  ...fields,
})

documentFields(UpdateProduct, { name, ...fields })

documentFields(ProductResource, { name, reference_id: referenceId, ...fields })
