// Documents the API fields of API keys.
import { documentFields } from "../../core/http/field-docs"
import { KeyResource } from "./schemas"

documentFields(KeyResource, {
  name: { description: "Name that the operator gave the key.", example: "Fulfilment" },
  key_prefix: { description: "First characters of the key, to recognize it.", example: "tnk_Vb3kQ9xL" },
  scopes: {
    description: "`read` allows GET, HEAD and OPTIONS, `write` all other methods.",
    example: ["read", "write"],
  },
  is_usable: { description: "Whether the key is neither revoked nor expired." },
  created_by_name: { description: "Operator who created the key.", example: "operator" },
  last_used_at: { description: "When the key was last used, to the minute." },
  expires_at: { description: "When the key expires; null if it does not.", example: null },
  revoked_at: { description: "When the key was revoked.", example: null },
})
