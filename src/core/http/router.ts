// Routers whose routes must begin with certain middleware, so that a route without it does not compile: `describe` in
// the APIs, the declaration of access in the console's forms.
import { type Handler, Hono, type Env as HonoEnv, type Input, type MiddlewareHandler } from "hono"
import type { RouterRoute } from "hono/types"
import type { Description } from "./route"

/** A validator, or other middleware of one route. Its variables and path are those of any route, as in Hono itself. */
// lint: a middleware is contravariant in its environment and path, so only any matches those of every route
// biome-ignore lint/suspicious/noExplicitAny: the environment is invariant
type Middleware<I extends Input> = MiddlewareHandler<any, any, I>

/** Registers a route: the required middleware, validators and other middleware, then the handler. */
interface RegisterRoute<E extends HonoEnv, Required extends readonly MiddlewareHandler[], Router> {
  <P extends string>(path: P, ...handlers: [...Required, Handler<E, P>]): Router
  <P extends string, I extends Input>(path: P, ...handlers: [...Required, Middleware<I>, Handler<E, P, I>]): Router
  <P extends string, I extends Input, I2 extends Input>(
    path: P,
    ...handlers: [...Required, Middleware<I>, Middleware<I2>, Handler<E, P, I & I2>]
  ): Router
  <P extends string, I extends Input, I2 extends Input, I3 extends Input>(
    path: P,
    ...handlers: [...Required, Middleware<I>, Middleware<I2>, Middleware<I3>, Handler<E, P, I & I2 & I3>]
  ): Router
}

declare const ROUTER: unique symbol

/**
 * A router that Hono can mount. The brand keeps plain Hono apps, whose routes nothing checks, from taking its place.
 */
interface AnyRouter<E extends HonoEnv> {
  readonly [ROUTER]: E
  readonly routes: RouterRoute[]
}

/** A router of an API: every route begins with `describe(…)`. */
export interface ApiRouter<E extends HonoEnv> extends AnyRouter<E> {
  readonly get: RegisterRoute<E, [Description], this>
  readonly post: RegisterRoute<E, [Description], this>
  readonly put: RegisterRoute<E, [Description], this>
  readonly patch: RegisterRoute<E, [Description], this>
  readonly delete: RegisterRoute<E, [Description], this>
}

/** A router of pages: every form's route begins with the middleware that declares who may send it. */
export interface PageRouter<E extends HonoEnv, FormAccess extends MiddlewareHandler> extends AnyRouter<E> {
  readonly get: RegisterRoute<E, [], this>
  readonly post: RegisterRoute<E, [FormAccess], this>
}

/** Creates the router of an API's resource. */
// lint: the same object with fewer methods; Hono's own types allow a route without a description
export const createRouter = <E extends HonoEnv>(): ApiRouter<E> => new Hono<E>() as unknown as ApiRouter<E>

/** Creates a router of pages whose forms declare their access with the given middleware. */
export const createPageRouter = <E extends HonoEnv, FormAccess extends MiddlewareHandler>(): PageRouter<
  E,
  FormAccess
  // lint: the same object with fewer methods; Hono's own types allow a route without a description
> => new Hono<E>() as unknown as PageRouter<E, FormAccess>

/** Mounts routers in an app. */
export function mount<E extends HonoEnv>(app: Hono<E>, routers: readonly AnyRouter<E>[]): void {
  // lint: the same object with fewer methods; Hono's own types allow a route without a description
  for (const router of routers) app.route("/", router as unknown as Hono<E>)
}
