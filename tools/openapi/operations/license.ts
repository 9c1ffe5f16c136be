// Describes the operations of the license manager.

const REFUSED = "A refused license gets 200 with `is_active: false` and the reason in `message`."

/** Descriptions of legacy operations name their replacement, which does the same. */
const replacedBy = (id: string): string => `Use \`${id}\` instead. Refusals have status 200 and \`status: false\`.`

const FILE_REPLACED = "Use `updates.download` instead. Refusals have a real HTTP status and no body."
const SIZE_REPLACED = "Use `updates.size` instead. Refusals have a real HTTP status and no body."

export const LICENSE_OPERATIONS: Record<string, string> = {
  "client.checkConnection": "Checks that the server is reachable and the external key is valid.",
  "client.publicKey":
    "Returns the public key for offline license files, as a JSON Web Key Set and in PEM format. Ship it with the software.",
  "client.activate": `Activates a license for the calling domain and address, and returns the license data for later verifications. Calling it again renews the activation. Sends \`license.activated\` for a new one. ${REFUSED}`,
  "client.verify":
    "Checks that an activated license is still valid for the calling domain and address. Call it regularly. An invalid license gets 200 with `is_active: false`, without a reason.",
  "client.deactivate": `Ends the activation of the calling installation, so the license can be activated elsewhere. Sends \`license.deactivated\`. ${REFUSED}`,
  "client.check": "Returns the license of a code and whether it is valid, without activating it.",
  "updates.check": "Returns whether a newer version is available. `update_id` identifies it for the download.",
  "updates.latest": "Returns the latest released version of a product.",
  "updates.download":
    "Downloads a file of a version. Products can require a valid license. Supports range requests. Errors have no body.",
  "updates.size": "Returns the size and type of a file in `Content-Length` and `Content-Type`, without its content.",
  "updates.wordpress":
    "Returns the metadata of a plugin or theme in the format of plugin-update-checker for WordPress. `download_url` is signed and needs no API key. Without a valid license it is null, if the product requires one.",
  "vendor.checkConnection": "Checks that the server is reachable and the internal key is valid.",
  "licenseProducts.list": "Lists products, newest first.",
  "licenseProducts.create": "Creates a product, with a generated reference id unless the body contains one.",
  "licenseProducts.get": "Returns a product.",
  "licenseProducts.update": "Changes the fields in the body. The reference id cannot be changed.",
  "licenseProducts.activate": "Activates a product, so its licenses are valid again. Repeated calls change nothing.",
  "licenseProducts.deactivate":
    "Deactivates a product. Its licenses are not valid until it is activated again. Repeated calls change nothing.",
  "versions.list": "Lists all versions of a product, newest first.",
  "versions.create":
    "Creates a version. Upload its files, `main_file` and `sql_file`, in a multipart form. Clients are offered it once it has a release date.",
  "versions.get": "Returns a version.",
  "versions.update":
    "Changes the fields in the body; files in a multipart form replace the current ones. The public id cannot be changed.",
  "licenses.list": "Lists licenses, newest first. `search` matches part of a code, customer, email address or invoice.",
  "licenses.create": "Creates a license, with a generated code unless the body contains one.",
  "licenses.get": "Returns a license by id or code.",
  "licenses.update": "Changes the fields in the body; null restores a default. The code cannot be changed.",
  "licenses.block":
    "Blocks a license. Installations notice at their next verification. Sends `license.blocked`. Repeated calls change nothing.",
  "licenses.unblock": "Unblocks a license. Repeated calls change nothing.",
  "licenses.file":
    "Downloads a signed license file (JWT) for software without internet access. `expires_at` in the query shortens its validity. Verify it with the public key.",
  "activations.list": "Lists activations of all licenses, newest first.",
  "activations.listOfLicense": "Lists the activations of a license, newest first.",
  "activations.activate":
    "Activates an ended activation again. With a field in the body, the id is a license's instead, and a new activation is created for it under the same rules as for clients. Sends `license.activated`.",
  "activations.deactivate": "Ends an activation. Sends `license.deactivated`. Repeated calls change nothing.",
  "oldClient.checkConnection": replacedBy("client.checkConnection"),
  "oldClient.activate": replacedBy("client.activate"),
  "oldClient.verify": replacedBy("client.verify"),
  "oldClient.deactivate": replacedBy("client.deactivate"),
  "oldClient.checkUpdate": replacedBy("updates.check"),
  "oldClient.latestVersion": replacedBy("updates.latest"),
  "oldClient.download": FILE_REPLACED,
  "oldClient.downloadMain": FILE_REPLACED,
  "oldClient.size": SIZE_REPLACED,
  "oldClient.sizeByPost": SIZE_REPLACED,
  "oldClient.sizeOfMain": SIZE_REPLACED,
  "oldClient.sizeOfMainByPost": SIZE_REPLACED,
  "oldVendor.checkConnection": replacedBy("vendor.checkConnection"),
  "oldVendor.addProduct": replacedBy("licenseProducts.create"),
  "oldVendor.getProduct": replacedBy("licenseProducts.get"),
  "oldVendor.getProducts": replacedBy("licenseProducts.list"),
  "oldVendor.activateProduct": replacedBy("licenseProducts.activate"),
  "oldVendor.deactivateProduct": replacedBy("licenseProducts.deactivate"),
  "oldVendor.createLicense": replacedBy("licenses.create"),
  "oldVendor.editLicense": replacedBy("licenses.update"),
  "oldVendor.getLicense": replacedBy("licenses.get"),
  "oldVendor.searchLicenses": replacedBy("licenses.list"),
  "oldVendor.deleteLicense":
    "Deletes a license with its activations. To stop a license without deleting it, use `licenses.block`. Refusals have status 200 and `status: false`.",
  "oldVendor.blockLicense": replacedBy("licenses.block"),
  "oldVendor.unblockLicense": replacedBy("licenses.unblock"),
  "oldVendor.endActivations":
    "Ends all activations of a license. Sends one `license.deactivated` with their number. Refusals have status 200 and `status: false`.",
}
