// Requests to the contact app, for the tests of all routes.
import { type AppRequests, itemOf } from "../../support/app-requests"
import { resourceWrite, userWrite } from "../../support/prepared-writes"

const newMessage = async () => ({ message: "Hello" })

export const requests: AppRequests = {
  createItems: async ({ customer }, { personal }) => ({
    contact: await customer("/contact", { subject: personal, message: personal }),
  }),
  reads: (items) => ({ "contact.list": "/contact", "contact.get": `/contact/${itemOf(items, "contact").id}` }),
  writes: {
    "contact.send": userWrite(({ send }, user) => send("POST", "/contact", user, { message: "Hello" })),
    "contact.update": resourceWrite("/contact", newMessage, ({ send }, { id, user }) =>
      send("PUT", `/contact/${id}`, user, { status: "read" }),
    ),
    "contact.reply": resourceWrite("/contact", newMessage, ({ send }, { id, user }) =>
      send("POST", `/contact/${id}/reply`, user, { reply: "Thank you" }),
    ),
    "contact.delete": resourceWrite("/contact", newMessage, ({ send }, { id, user }) =>
      send("DELETE", `/contact/${id}`, user),
    ),
  },
  updates: { contact: { status: "read" } },
  lists: () => ["/contact"],
}
