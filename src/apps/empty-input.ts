// What a partial input changes.

/** Whether it names nothing that is to be changed. */
export const isEmpty = (input: object): boolean => Object.values(input).every((value) => value === undefined)
