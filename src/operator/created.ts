// Reports what a command that creates or replaces something has done.

/** Returns the resource of a saved row, and whether it was created rather than replaced. */
export const withCreated = <Row extends { isNew: boolean }, Resource extends object>(
  row: Row,
  toResource: (row: Row) => Resource,
): Resource & { created: boolean } => ({ ...toResource(row), created: row.isNew })
