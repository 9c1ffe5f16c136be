// Picture in a frame: the uploaded image, or generated art when there is none.
import { Art, type Format } from "../art/art"
import { safeImage } from "../text/safe-url"

type Props = {
  name: string
  image: string | null
  format: Format
  /** Alternative text; empty where the name is next to the picture. */
  alt?: string
  /** True for the picture above the fold: it is not lazy-loaded. */
  eager?: boolean
  class?: string
}

export function Frame({ name, image, format, alt = "", eager = false, class: extra }: Props) {
  const source = safeImage(image)
  return (
    <div class={extra ? `frame ${extra}` : "frame"}>
      {source ? (
        <img
          src={source}
          alt={alt}
          decoding="async"
          loading={eager ? undefined : "lazy"}
          fetchpriority={eager ? "high" : undefined}
        />
      ) : (
        <Art name={name} format={format} />
      )}
    </div>
  )
}
