// Describes the operations of the content API, except those of apps.

export const CONTENT_OPERATIONS: Record<string, string> = {
  "accounts.register":
    "Creates an account. If the site verifies email addresses, the user can log in after following the mailed link.",
  "accounts.logIn":
    "Returns a bearer token for an email address and a password. An unknown address and a wrong password get the same error. Staff who turned on two-factor authentication also send `code`.",
  "accounts.logOut": "Revokes all tokens of the user.",
  "accounts.checkEmail": "Returns whether an email address has an account, to choose between login and registration.",
  "accounts.forgotPassword":
    "Mails a link and a token to reset the password. The response is the same whether or not the address has an account.",
  "accounts.resetPassword":
    "Sets a new password with a mailed token and logs the user out everywhere. The token can be used once.",
  "accounts.resendVerification":
    "Mails a new verification link. The response is the same whether or not there is an unverified account. Returns 404 if the site does not verify addresses.",
  "profile.get": "Returns the user's profile and settings.",
  "profile.update":
    "Changes the fields in the body. A new email address requires the current password; it ends all other sessions and notifies the old address.",
  "profile.delete":
    "Deletes the user's account, given the current password: the profile, logins, devices, inbox, messages and reviews. Orders stay without the customer's name, addresses and notes; a pending or paid order keeps them until it is sent or cancelled. Members of the staff have to be removed from it first.",
  "profile.updateAvatar": "Replaces the user's avatar by a PNG, JPEG, GIF, WebP or AVIF image of at most 5 MB.",
  "profile.updatePassword": "Changes the password, given the current one, and logs the user out everywhere.",
  "billing.read": "Returns the store's subscription, the plans it can order and its orders. Requires staff access.",
  "billing.listOrders": "Lists the store's bank-transfer orders, newest first. Requires staff access.",
  "billing.requestOrder":
    "Orders a plan by bank transfer. The subscription changes when an operator confirms the payment. An order of 0, whose price a coupon covers, is `paid` immediately. Requires staff access. Sends `order.requested`, and `order.paid` for an order of 0.",
  "billing.withdrawOrder": "Withdraws an order that is still pending. Requires staff access.",
  "billing.checkout":
    "Returns the URL of the provider's payment page for a plan; repeated calls return the open one. While a period is paid, only the current plan can be bought, until two days before its end; the card is charged first when the period ends. The subscription changes when the payment succeeds. Requires staff access.",
  "billing.portal":
    "Returns the URL of the provider's billing portal, to change the card or cancel the subscription. Requires staff access.",
  "staff.list": "Lists the staff of the store in the order in which they joined. Requires staff access.",
  "staff.listInvitations":
    "Lists the invitations that were neither accepted nor withdrawn and have not expired. Requires the role `owner`.",
  "staff.invite":
    "Mails an invitation to join the staff. Its link is valid for 72 hours and can be used once; the recipient chooses a name and a password. Another invitation of the same address replaces the first. Members and pending invitations count against the plan's `staff_users`. Requires the role `owner`.",
  "staff.withdrawInvitation": "Withdraws an invitation, so that its link no longer works. Requires the role `owner`.",
  "staff.changeRole": "Changes the role of a member. The only owner stays an owner. Requires the role `owner`.",
  "staff.remove":
    "Removes a member from the staff and ends the member's logins. The account becomes a customer's. The only owner cannot be removed. Requires the role `owner`.",
  "shop.get": "Returns the shop's settings, with defaults for those never set. Requires staff access.",
  "shop.update":
    "Changes the fields in the body, also within `shipping` and `payment`. Requires the role `admin`. A new name sends `store.updated`.",
  "storeWebhooks.list":
    "Lists the store's webhook endpoints, newest first, without their secrets. Requires the role `admin`.",
  "storeWebhooks.create":
    "Creates an endpoint that receives the subscribed events of this store from now on. Store the signing secret: it is not shown again. The plan's feature `webhooks` says how many endpoints a store may have, 5 by default. Requires the role `admin`.",
  "storeWebhooks.get": "Returns an endpoint with its delivery state. Requires the role `admin`.",
  "storeWebhooks.update":
    "Changes the fields in the body. `is_active: true` also re-enables an endpoint that was disabled after too many failures; it is refused with `forbidden` if an operator turned the endpoint off. Requires the role `admin`.",
  "storeWebhooks.delete":
    "Deletes an endpoint and its deliveries. Pending deliveries are not sent. Requires the role `admin`.",
  "storeWebhooks.rotateSecret":
    "Replaces the signing secret and returns the new one, which is not shown again. With `grace_seconds`, deliveries are signed with both secrets until the period ends. Requires the role `admin`.",
  "storeWebhooks.test":
    "Sends a ping or the example of an event to the endpoint, even if it does not subscribe to that type. The attempt is finished when the response arrives; read the delivery's `status`. Requires the role `admin`.",
  "storeWebhooks.listDeliveries":
    "Lists an endpoint's deliveries, newest first. Use `include=payload` to include the events. Requires the role `admin`.",
  "storeWebhooks.retryDelivery":
    "Attempts a failed or exhausted delivery now and returns the result. Requires the role `admin`.",
  "storeWebhooks.getEvent":
    "Returns an event of the store as it was sent. Thin payloads link here. Requires the role `admin`.",
  "settings.get": "Returns the user's settings, with defaults for those never set.",
  "settings.update": "Changes the fields in the body.",
  "devices.register":
    "Registers a push token, or renews it and activates it again. With a bearer token, the device belongs to that user.",
  "devices.list": "Lists the user's active devices, newest first.",
  "devices.deleteByToken": "Deletes one of the user's devices by its push token, for example on logout.",
  "devices.update": "Changes the fields in the body.",
  "devices.delete": "Deletes one of the user's devices.",
  "devices.deactivate": "Stops push notifications to a device until it registers again.",
  "notifications.list":
    "Lists the user's inbox, newest first. `unread_count` counts the whole inbox. A site whose notification format is `legacy` responds with the second form.",
  "notifications.stats": "Counts the notifications in the user's inbox by state.",
  "notifications.markAllRead": "Marks the whole inbox as read.",
  "notifications.markDelivered": "Records that the app received a notification. Repeated calls change nothing.",
  "notifications.markRead": "Marks a notification as read, and as delivered. Repeated calls change nothing.",
  "notifications.markClicked": "Marks a notification as clicked, and as read. Repeated calls change nothing.",
  "notifications.delete": "Removes a notification from the user's inbox.",
  "posts.create":
    "Creates a post. With `published_at` in the future, it appears at that time. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "posts.update":
    "Changes the fields in the body. Fields that are absent are unchanged. With `If-Match`, it is refused with 412 if it has changed since. The replaced version becomes a revision. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "posts.delete":
    "Deletes a post and its revisions. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "posts.listRevisions":
    "Lists the last 20 earlier versions of a post, newest first. Requires a server token, or the bearer token of staff.",
  "posts.restoreRevision":
    "Restores the title, summary, content and image of a revision. The replaced version becomes a revision. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "categories.create":
    "Creates a category. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "categories.update":
    "Changes the fields in the body. Fields that are absent are unchanged. With `If-Match`, it is refused with 412 if it has changed since. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "categories.delete":
    "Deletes a category. Its posts lose it, and its subcategories move to its parent. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "tags.create":
    "Creates a tag. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "tags.update":
    "Changes the fields in the body. Fields that are absent are unchanged. With `If-Match`, it is refused with 412 if it has changed since. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "tags.delete":
    "Deletes a tag. Its posts lose it. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "pages.create":
    "Creates a page. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "pages.update":
    "Changes the fields in the body. Fields that are absent are unchanged. With `If-Match`, it is refused with 412 if it has changed since. The replaced version becomes a revision. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "pages.delete":
    "Deletes a page and its revisions. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "pages.listRevisions":
    "Lists the last 20 earlier versions of a page, newest first. Requires a server token, or the bearer token of staff.",
  "pages.restoreRevision":
    "Restores the title, summary, content, image and template of a revision. The replaced version becomes a revision. Requires a server token with the scope `write`, or the bearer token of staff with the role `editor` or higher.",
  "search.search":
    "Finds published products and posts by all their text, and pages by title and summary. An empty text finds nothing.",
  "posts.list":
    "Lists published posts without their content. Another `status` requires a server token, or the bearer token of staff.",
  "posts.get":
    "Returns a post with its content. Unpublished and scheduled posts require a server token, or the bearer token of staff.",
  "posts.filter":
    "Lists the published posts that match all filters, with their categories and tags. Use `GET /posts` for unpublished posts and for other relations.",
  "categories.filter": "Lists the categories that match all filters, with their direct subcategories.",
  "categories.list": "Lists categories with their direct subcategories.",
  "categories.get": "Returns a category with its direct subcategories.",
  "tags.list": "Lists tags.",
  "tags.get": "Returns a tag.",
  "pages.list":
    "Lists published pages without their content. Another `status` requires a server token, or the bearer token of staff.",
  "pages.get":
    "Returns a page with its content. Unpublished pages require a server token, or the bearer token of staff.",
  "folders.list": "Lists the subfolders of a folder, or the folders in the trash.",
  "folders.create": "Creates a folder.",
  "folders.deleteMany": "Deletes folders with everything in them: all of them, or none if one does not exist.",
  "folders.get": "Returns a folder and the files in it.",
  "folders.update": "Renames a folder, moves it, or both. URLs of its files do not change.",
  "folders.delete": "Deletes a folder with everything in it. This cannot be undone.",
  "folders.trash": "Moves a folder to the trash, which also hides its contents. It can be restored.",
  "folders.restore": "Restores a folder from the trash.",
  "files.list": "Lists the files in a folder, newest first, or the files in the trash.",
  "files.upload":
    "Uploads one file as a multipart form. Refused with 403 if the plan's storage is used up. The URL is public.",
  "files.deleteMany": "Deletes files: all of them, or none if one does not exist.",
  "files.update":
    "Renames a file, moves it, describes it, or all of these. Its URL does not change. A name that is taken gets a number.",
  "files.delete": "Deletes a file. Its URL stops working immediately.",
  "files.trash": "Moves a file to the trash. It can be restored.",
  "files.restore": "Restores a file from the trash to its folder, or to the root if the folder is gone.",
}
