// A picture in its frame: the photograph there is, or one drawn from the name.
import { Art, type Format } from "../art/art"
import { safeImage } from "../text/safe-url"

type Props = {
  name: string
  image: string | null
  format: Format
  /** Text in place of the picture; empty where the name stands beside it anyway. */
  alt?: string
  /** True for the one picture that is seen first: it is not put off. */
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
