// Stands where what is never run would be loaded.
export const [createDurable, proxyDurable] = [() => class {}, () => undefined]
