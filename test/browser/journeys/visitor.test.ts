// A visitor buys as a guest, registers, buys again, and finds that order in the account.
import { expect } from "vitest"
import { createStore } from "../support/api.ts"
import { getStoreUrl } from "../support/browser.ts"
import { journey } from "../support/journey.ts"

journey(
  "buys as a guest, registers, and finds an order in the account",
  async ({ page, press, follow, expectText, expectHeading, uniqueName }) => {
    const store = await createStore(uniqueName, { plan: "starter" })
    const me = { name: "Ada Lovelace", email: `${uniqueName}-ada@example.com`, password: "a long enough one" }
    const open = (path: string) => page.goto(getStoreUrl(store, path))
    const addFirstProduct = async () => {
      await open("/products")
      await page.locator(".product a").first().click()
      await press("Add to cart")
      await expectHeading("Cart")
    }
    const fillAddress = async () => {
      await page.locator("#line1").fill("12 St James's Square")
      await page.locator("#city").fill("London")
    }
    await addFirstProduct()
    await follow("Checkout", "main")
    await page.locator("#email").fill(me.email)
    await page.locator("#name").fill(me.name)
    await fillAddress()
    await press("Place order")
    await expectHeading("Order 1001")
    await expectText("It is waiting for payment.")

    await follow("Create an account", "main")
    await page.locator("#name").fill(me.name)
    await page.locator("#email").fill(me.email)
    await page.locator("#password").fill(me.password)
    await press("Create account", "main")
    await expectHeading(me.name)
    await follow("Orders", "main")
    // The address is not confirmed, so the guest's order is not shown.
    await expectText("You have no orders yet.")
    await press("Confirm email address")
    await expectHeading("Confirm your email")

    await addFirstProduct()
    await follow("Checkout", "main")
    expect(await page.locator("#email").inputValue()).toBe(me.email)
    await fillAddress()
    await press("Place order")
    await expectHeading("Order 1002")
    await open("/account")
    await press("Sign out")
    await page.locator("#email").fill(me.email)
    await page.locator("#password").fill(me.password)
    await press("Sign in", "main")
    await follow("Orders", "main")
    await follow("Order 1002")
    await expectHeading("Order 1002")
  },
  "anonymous",
)
