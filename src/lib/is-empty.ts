// Checks whether an object has values.

/** Whether an object has no values. Undefined ones do not count. */
export const isEmpty = (object: object): boolean => Object.values(object).every((value) => value === undefined)
