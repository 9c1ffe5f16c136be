// Creates the routers of console pages. A form whose route does not declare its access does not compile.
import { createPageRouter } from "../core/http/router"
import type { FormAccess } from "./reauthentication"
import type { ConsoleEnv } from "./types"

export const createPages = () => createPageRouter<ConsoleEnv, FormAccess>()
