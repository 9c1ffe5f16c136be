// Matches the paths of a route.

/** Converts the path of a route to a regular expression. */
export const toRoutePattern = (route: string): RegExp =>
  new RegExp(`^${route.replaceAll(/:\w+(?:\{([^}]*)\})?/g, (_, choices?: string) => `(?:${choices ?? "[^/]+"})`)}$`)
