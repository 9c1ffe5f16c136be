// Hashes the client's network, so that accounts recognize it without storing it in plain text.
import { sha256 } from "../../lib/hash"
import { clientNetwork } from "../../lib/ip"
import type { Ctx } from "../context"

/** SHA-256 of the client's IPv4 address or IPv6 /64, in hex. */
export const hashNetwork = ({ address }: Pick<Ctx, "address">): Promise<string> =>
  sha256(clientNetwork(address ?? "unknown").network)
