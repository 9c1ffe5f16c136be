// HTTP routes of the legacy internal API: every route is a POST, with status 200 for every authenticated request.
import * as z from "zod"
import { createRouter } from "../../../core/http/router"
import { withLookups } from "../../../core/http/validation"
import { deactivateAll } from "../../activations/service"
import { readFields } from "../../body"
import { parseFields } from "../../fields"
import { requireScope } from "../../gate/gate"
import { CreateLicense, UpdateLicense } from "../../licenses/schemas"
import {
  createLicense,
  listLicenses,
  readLicense,
  removeLicense,
  setBlocked,
  updateLicense,
} from "../../licenses/service"
import { CreateProduct } from "../../products/schemas"
import { createProduct, setProductActive } from "../../products/service"
import { formatMessage, type MessageCode } from "../../refusal-messages"
import { ActiveStatusMessage, StatusMessage } from "../../response-schemas"
import type { LicenseCtx, LicenseEnv } from "../../types"
import { describeLegacy } from "../describe"
import {
  LegacyLicenseFields,
  LegacyLicenseResource,
  LegacyProductFields,
  LegacyProductResource,
  LegacySearchResponse,
  LicenseCodeBody,
  legacyLicenseResource,
  legacyProductResource,
  licenseFields,
  ProductIdBody,
  productFields,
  SearchBody,
  searchResultResource,
} from "../schemas"
import { listProductsWithLatest, readProductWithLatest } from "./service"

const MAX_SEARCH_RESULTS = 100

const LicenseCodeResponse = StatusMessage.extend({ license_code: z.string() })

const success = (ctx: LicenseCtx, message: MessageCode, fields: Record<string, unknown> = {}) => ({
  status: true,
  message: formatMessage(message, ctx.language),
  ...fields,
})

const EditLicense = withLookups(UpdateLicense.extend(LicenseCodeBody.shape), "product_reference_id")

export const legacyInternal = createRouter<LicenseEnv>()
  .post(
    "/check_connection_int",
    describeLegacy("oldVendor.checkConnection", "Test a key", { body: ActiveStatusMessage }),
    (c) => c.json(success(c.var.ctx, "connected", { is_active: true })),
  )
  .post(
    "/add_product",
    describeLegacy("oldVendor.addProduct", "Create a product", {
      fields: LegacyProductFields,
      body: StatusMessage.extend({ product_id: z.string() }),
    }),
    requireScope("products:write"),
    async (c) => {
      const product = await createProduct(c.var.ctx, parseFields(CreateProduct, productFields(await readFields(c))))
      return c.json(success(c.var.ctx, "product_created", { product_id: product.referenceId }))
    },
  )
  .post(
    "/get_product",
    describeLegacy("oldVendor.getProduct", "Retrieve a product", {
      fields: ProductIdBody,
      body: LegacyProductResource.extend({ status: z.boolean() }),
    }),
    requireScope("products:read"),
    async (c) => {
      const { product_id } = parseFields(ProductIdBody, await readFields(c))
      const { product, latest } = await readProductWithLatest(c.var.ctx, product_id)
      return c.json({ status: true, ...legacyProductResource(product, latest) })
    },
  )
  .post(
    "/get_products",
    describeLegacy("oldVendor.getProducts", "List products", {
      body: z.object({ status: z.boolean(), products: z.array(LegacyProductResource) }),
    }),
    requireScope("products:read"),
    async (c) => {
      const found = await listProductsWithLatest(c.var.ctx)
      return c.json({
        status: true,
        products: found.map(({ product, latest }) => legacyProductResource(product, latest)),
      })
    },
  )
  .post(
    "/mark_product_active",
    describeLegacy("oldVendor.activateProduct", "Activate a product", { fields: ProductIdBody }),
    requireScope("products:write"),
    async (c) => {
      const { product_id } = parseFields(ProductIdBody, await readFields(c))
      await setProductActive(c.var.ctx, { referenceId: product_id }, true)
      return c.json(success(c.var.ctx, "product_activated"))
    },
  )
  .post(
    "/mark_product_inactive",
    describeLegacy("oldVendor.deactivateProduct", "Deactivate a product", { fields: ProductIdBody }),
    requireScope("products:write"),
    async (c) => {
      const { product_id } = parseFields(ProductIdBody, await readFields(c))
      await setProductActive(c.var.ctx, { referenceId: product_id }, false)
      return c.json(success(c.var.ctx, "product_deactivated"))
    },
  )
  .post(
    "/create_license",
    describeLegacy("oldVendor.createLicense", "Create a license", {
      fields: LegacyLicenseFields,
      body: LicenseCodeResponse,
    }),
    requireScope("licenses:write"),
    async (c) => {
      const input = parseFields(CreateLicense, licenseFields(await readFields(c)))
      const { license } = await createLicense(c.var.ctx, input)
      return c.json(success(c.var.ctx, "license_created", { license_code: license.code }))
    },
  )
  .post(
    "/edit_license",
    describeLegacy("oldVendor.editLicense", "Update a license", {
      fields: LegacyLicenseFields,
      body: LicenseCodeResponse,
    }),
    requireScope("licenses:write"),
    async (c) => {
      const input = parseFields(EditLicense, licenseFields(await readFields(c)))
      const { license } = await updateLicense(c.var.ctx, { code: input.require("license_code") }, input)
      return c.json(success(c.var.ctx, "license_updated", { license_code: license.code }))
    },
  )
  .post(
    "/get_license",
    describeLegacy("oldVendor.getLicense", "Retrieve a license", {
      fields: LicenseCodeBody,
      body: LegacyLicenseResource.extend({ status: z.boolean() }),
    }),
    requireScope("licenses:read"),
    async (c) => {
      const { license_code } = parseFields(LicenseCodeBody, await readFields(c))
      return c.json({
        status: true,
        ...legacyLicenseResource(await readLicense(c.var.ctx, { code: license_code }), c.var.ctx.now),
      })
    },
  )
  .post(
    "/search_license",
    describeLegacy("oldVendor.searchLicenses", "Search licenses", { fields: SearchBody, body: LegacySearchResponse }),
    requireScope("licenses:read"),
    async (c) => {
      const { keyword } = parseFields(SearchBody, await readFields(c))
      const { rows } = await listLicenses(c.var.ctx, { page: 1, per_page: MAX_SEARCH_RESULTS, search: keyword })
      if (!rows.length) return c.json({ status: true, results: formatMessage("no_license_found", c.var.ctx.language) })
      return c.json({ status: true, results_count: rows.length, results: rows.map(searchResultResource) })
    },
  )
  .post(
    "/delete_license",
    describeLegacy("oldVendor.deleteLicense", "Delete a license", { fields: LicenseCodeBody }),
    requireScope("licenses:write"),
    async (c) => {
      await removeLicense(c.var.ctx, { code: parseFields(LicenseCodeBody, await readFields(c)).license_code })
      return c.json(success(c.var.ctx, "license_deleted"))
    },
  )
  .post(
    "/block_license",
    describeLegacy("oldVendor.blockLicense", "Block a license", { fields: LicenseCodeBody }),
    requireScope("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { code: parseFields(LicenseCodeBody, await readFields(c)).license_code }, true)
      return c.json(success(c.var.ctx, "license_now_blocked"))
    },
  )
  .post(
    "/unblock_license",
    describeLegacy("oldVendor.unblockLicense", "Unblock a license", { fields: LicenseCodeBody }),
    requireScope("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { code: parseFields(LicenseCodeBody, await readFields(c)).license_code }, false)
      return c.json(success(c.var.ctx, "license_now_unblocked"))
    },
  )
  .post(
    "/deactivate_license_activations",
    describeLegacy("oldVendor.endActivations", "Deactivate all activations of a license", { fields: LicenseCodeBody }),
    requireScope("activations:write"),
    async (c) => {
      const { license_code } = parseFields(LicenseCodeBody, await readFields(c))
      await deactivateAll(c.var.ctx, license_code)
      return c.json(success(c.var.ctx, "activations_ended"))
    },
  )
