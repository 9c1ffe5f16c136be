// Documents the API fields of API keys.
import { documentFields } from "../../core/http/field-docs"
import { CreateKeyWithKey, KeyResource } from "./schemas"

documentFields(KeyResource, {
  name: { description: "Name that the operator gave the key.", example: "Fulfilment" },
  key_prefix: { description: "First characters of the key, to recognize it.", example: "tnk_Vb3kQ9xL" },
  scopes: {
    description:
      "`read` allows GET, HEAD and OPTIONS, `write` all other methods. `stores:read` or `webhooks:write` allow the same for the paths of one resource.",
    example: ["read", "write"],
  },
  store_ids: { description: "Ids of the stores that the key is limited to; null for all.", example: null },
  is_usable: { description: "Whether the key is neither revoked nor expired." },
  created_by_name: { description: "Operator who created the key.", example: "operator" },
  last_used_at: { description: "When the key was last used, to the minute." },
  expires_at: { description: "When the key expires; null if it does not.", example: null },
  revoked_at: { description: "When the key was revoked.", example: null },
})

documentFields(CreateKeyWithKey, {
  name: { description: "Name of the key, to recognize it.", example: "Fulfilment" },
  scopes: {
    description: "Scopes of the key. Each must be covered by those of the key that sends the request.",
    example: ["stores:read", "events:read"],
  },
  expires_at: {
    description: "When the key expires; by default when the key that sends the request does, which is the latest.",
    example: null,
  },
  store_ids: {
    description:
      "Ids of the stores to limit the key to; null for all. Such a key may only have the scopes `stores:read`, `stores:write`, `events:read` and `plans:read`, and cannot create stores.",
    example: ["acme"],
  },
})
