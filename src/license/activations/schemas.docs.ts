// Documents the API fields of activations.
import { documentFields } from "../../core/http/field-docs"
import { ActivationResource, CreateActivation, ListActivations } from "./schemas"

const domain = { description: "Domain of the installation.", example: "shop.example.com" }
const ip = { description: "IP address of the installation's server.", example: "203.0.113.7" }
const clientName = { description: "Customer that the client sent.", example: "Ada Lovelace" }

documentFields(CreateActivation, {
  license_code: {
    description: "Code of the license; must match the license in the path.",
    example: "6F9A-27C1-44D0-B83E",
  },
  domain,
  ip,
  client_name: { description: "Customer; must match the license's, if it has one.", example: "Ada Lovelace" },
})

documentFields(ListActivations, {
  is_active: { description: "Only activations that are active, or that are not." },
})

documentFields(ActivationResource, {
  license_id: { description: "Id of the license.", example: 42 },
  domain,
  ip,
  client_name: clientName,
  is_active: { description: "Whether the activation counts towards the license's limit." },
  activated_at: { description: "When the installation was last activated." },
  deactivated_at: { description: "When the activation ended; null while it is active.", example: null },
})
