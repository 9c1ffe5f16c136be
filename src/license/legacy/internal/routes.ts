// The internal API as older clients call it: everything by POST, and status 200 for whoever has a key.
import { Hono } from "hono"
import * as z from "zod"
import { endAllActivations } from "../../activations/service"
import { readFields } from "../../body"
import { parseFields } from "../../fields"
import { needs } from "../../gate/gate"
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
import { createProduct, switchProduct } from "../../products/service"
import { type MessageCode, message } from "../../refusal-messages"
import { Done, Held } from "../../response-schemas"
import type { LicenseCtx, LicenseEnv } from "../../types"
import { old } from "../describe"
import {
  foundLicense,
  legacyLicense,
  legacyProduct,
  licenseFields,
  NamedLicense,
  NamedProduct,
  OldFound,
  OldLicense,
  OldLicenseFields,
  OldProduct,
  OldProductFields,
  productFields,
  Search,
} from "../schemas"
import { listProductsWithLatest, readProductWithLatest } from "./service"

/** Licenses that a search shows at most. */
const MOST_FOUND = 100

const NamedAnswer = Done.extend({ license_code: z.string() })

const done = (ctx: LicenseCtx, words: MessageCode, facts: Record<string, unknown> = {}) => ({
  status: true,
  message: message(words, ctx.language),
  ...facts,
})

export const legacyInternal = new Hono<LicenseEnv>()
  .post("/check_connection_int", old("oldVendor.checkConnection", "Test the key", { answer: Held }), (c) =>
    c.json(done(c.var.ctx, "connected", { is_active: true })),
  )
  .post(
    "/add_product",
    old("oldVendor.addProduct", "Create a product", {
      fields: OldProductFields,
      answer: Done.extend({ product_id: z.string() }),
    }),
    needs("products:write"),
    async (c) => {
      const product = await createProduct(c.var.ctx, parseFields(CreateProduct, productFields(await readFields(c))))
      return c.json(done(c.var.ctx, "product_created", { product_id: product.referenceId }))
    },
  )
  .post(
    "/get_product",
    old("oldVendor.getProduct", "Read a product", {
      fields: NamedProduct,
      answer: OldProduct.extend({ status: z.boolean() }),
    }),
    needs("products:read"),
    async (c) => {
      const { product_id } = parseFields(NamedProduct, await readFields(c))
      const { product, latest } = await readProductWithLatest(c.var.ctx, product_id)
      return c.json({ status: true, ...legacyProduct(product, latest) })
    },
  )
  .post(
    "/get_products",
    old("oldVendor.getProducts", "List products", {
      answer: z.object({ status: z.boolean(), products: z.array(OldProduct) }),
    }),
    needs("products:read"),
    async (c) => {
      const found = await listProductsWithLatest(c.var.ctx)
      return c.json({ status: true, products: found.map(({ product, latest }) => legacyProduct(product, latest)) })
    },
  )
  .post(
    "/mark_product_active",
    old("oldVendor.activateProduct", "Switch a product on", { fields: NamedProduct }),
    needs("products:write"),
    async (c) => {
      const { product_id } = parseFields(NamedProduct, await readFields(c))
      await switchProduct(c.var.ctx, { referenceId: product_id }, true)
      return c.json(done(c.var.ctx, "product_activated"))
    },
  )
  .post(
    "/mark_product_inactive",
    old("oldVendor.deactivateProduct", "Switch a product off", { fields: NamedProduct }),
    needs("products:write"),
    async (c) => {
      const { product_id } = parseFields(NamedProduct, await readFields(c))
      await switchProduct(c.var.ctx, { referenceId: product_id }, false)
      return c.json(done(c.var.ctx, "product_deactivated"))
    },
  )
  .post(
    "/create_license",
    old("oldVendor.createLicense", "Create a license", { fields: OldLicenseFields, answer: NamedAnswer }),
    needs("licenses:write"),
    async (c) => {
      const input = parseFields(CreateLicense, licenseFields(await readFields(c)))
      const { license } = await createLicense(c.var.ctx, input)
      return c.json(done(c.var.ctx, "license_created", { license_code: license.code }))
    },
  )
  .post(
    "/edit_license",
    old("oldVendor.editLicense", "Change a license", { fields: OldLicenseFields, answer: NamedAnswer }),
    needs("licenses:write"),
    async (c) => {
      const fields = await readFields(c)
      const { license_code } = parseFields(NamedLicense, fields)
      const { license } = await updateLicense(
        c.var.ctx,
        { code: license_code },
        parseFields(UpdateLicense, licenseFields(fields)),
      )
      return c.json(done(c.var.ctx, "license_updated", { license_code: license.code }))
    },
  )
  .post(
    "/get_license",
    old("oldVendor.getLicense", "Read a license", {
      fields: NamedLicense,
      answer: OldLicense.extend({ status: z.boolean() }),
    }),
    needs("licenses:read"),
    async (c) => {
      const { license_code } = parseFields(NamedLicense, await readFields(c))
      return c.json({
        status: true,
        ...legacyLicense(await readLicense(c.var.ctx, { code: license_code }), c.var.ctx.now),
      })
    },
  )
  .post(
    "/search_license",
    old("oldVendor.searchLicenses", "Search licenses", { fields: Search, answer: OldFound }),
    needs("licenses:read"),
    async (c) => {
      const { keyword } = parseFields(Search, await readFields(c))
      const { rows } = await listLicenses(c.var.ctx, { page: 1, per_page: MOST_FOUND, search: keyword })
      if (!rows.length) return c.json({ status: true, results: message("no_license_found", c.var.ctx.language) })
      return c.json({ status: true, results_count: rows.length, results: rows.map(foundLicense) })
    },
  )
  .post(
    "/delete_license",
    old("oldVendor.deleteLicense", "Delete a license and its activations", { fields: NamedLicense }),
    needs("licenses:write"),
    async (c) => {
      await removeLicense(c.var.ctx, { code: parseFields(NamedLicense, await readFields(c)).license_code })
      return c.json(done(c.var.ctx, "license_deleted"))
    },
  )
  .post(
    "/block_license",
    old("oldVendor.blockLicense", "Block a license", { fields: NamedLicense }),
    needs("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { code: parseFields(NamedLicense, await readFields(c)).license_code }, true)
      return c.json(done(c.var.ctx, "license_now_blocked"))
    },
  )
  .post(
    "/unblock_license",
    old("oldVendor.unblockLicense", "Lift the block of a license", { fields: NamedLicense }),
    needs("licenses:write"),
    async (c) => {
      await setBlocked(c.var.ctx, { code: parseFields(NamedLicense, await readFields(c)).license_code }, false)
      return c.json(done(c.var.ctx, "license_now_unblocked"))
    },
  )
  .post(
    "/deactivate_license_activations",
    old("oldVendor.endActivations", "End all activations of a license", { fields: NamedLicense }),
    needs("activations:write"),
    async (c) => {
      const { license_code } = parseFields(NamedLicense, await readFields(c))
      await endAllActivations(c.var.ctx, license_code)
      return c.json(done(c.var.ctx, "activations_ended"))
    },
  )
