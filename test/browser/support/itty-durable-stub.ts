// Replaces itty-durable, which Node cannot resolve and the browser tests never run.
export const [createDurable, proxyDurable] = [() => class {}, () => undefined]
