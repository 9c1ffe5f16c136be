// Checks on partial update inputs.

/** Whether an update input changes no field. */
export const isEmpty = (input: object): boolean => Object.values(input).every((value) => value === undefined)
