// Requests to the galleries app, for the tests of all routes.
import { type AppRequests, itemOf } from "../../support/app-requests"
import { resourceWrite, userWrite } from "../../support/prepared-writes"
import { nextSerial } from "../../support/serial"

const newGallery = async () => ({ name: `Gallery ${nextSerial()}`, pictures: [{ image: "/media/1.jpg" }] })

export const requests: AppRequests = {
  createItems: async ({ staff }, { secret }) => ({
    galleries: await staff("/galleries", { name: secret, status: "draft", pictures: [{ image: "/media/1.jpg" }] }),
  }),
  reads: (items) => ({
    "galleries.list": "/galleries",
    "galleries.get": `/galleries/${itemOf(items, "galleries").id}`,
  }),
  writes: {
    "galleries.create": userWrite(async ({ send }, user) => send("POST", "/galleries", user, await newGallery()), {
      isStaff: true,
    }),
    "galleries.update": resourceWrite("/galleries", newGallery, ({ send }, { id, user }) =>
      send("PUT", `/galleries/${id}`, user, { name: "Other", pictures: [{ image: "/media/2.jpg" }] }),
    ),
    "galleries.delete": resourceWrite("/galleries", newGallery, ({ send }, { id, user }) =>
      send("DELETE", `/galleries/${id}`, user),
    ),
  },
  updates: { galleries: { name: "Mine" } },
  lists: () => ["/galleries"],
  staffQueries: { "galleries.list": "?status=draft" },
}
