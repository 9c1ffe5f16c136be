// Documents the API fields of domains.
import { documentFields } from "../../core/http/field-docs"
import { AttachDomain, DomainResource, VerificationResponse } from "./schemas"

documentFields(AttachDomain, {
  domain: { description: "Host name, in Unicode or ASCII form.", example: "shop.example" },
})

documentFields(DomainResource, {
  domain: { description: "Host name in lower case and ASCII form (Punycode).", example: "shop.example" },
  tenant_id: { description: "Id of the store.", example: "acme" },
  is_primary: { description: "Whether the store's URLs use this domain.", example: false },
  is_fallback: { description: "Whether this is the store's own subdomain, which cannot be detached.", example: false },
  is_custom: { description: "Whether this is a custom domain.", example: true },
  verified_at: { description: "When the domain was verified.", example: null },
  is_routable: { description: "Whether the store is served on this domain.", example: false },
  verification: { description: "DNS records to create; only while the domain is not verified." },
})

documentFields(DomainResource.shape.verification.unwrap(), {
  txt_name: {
    description: "Name of the TXT record that proves ownership.",
    example: "_tenancy-verify.shop.example",
  },
  txt_value: { description: "Value of the TXT record.", example: "tenancy-verify-4Yq2mB7cXk" },
  cname_target: { description: "Target of the domain's CNAME record.", example: "platform.example" },
})

documentFields(VerificationResponse.shape.verification_result, {
  verified: { description: "Whether the domain is verified.", example: true },
  method: { description: "How the domain was checked." },
  reason: { description: "Why the verification failed; null if it succeeded.", example: null },
})
