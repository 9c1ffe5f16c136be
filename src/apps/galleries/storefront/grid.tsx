// Grid of gallery cards.
import { Frame } from "../../../storefront/components/frame"
import { Grid, type HeadingLevel } from "../../../storefront/components/grid"
import { singlePath } from "../../../storefront/paths"
import { type Gallery, PATH } from "./data"

export function GalleryGrid({ galleries, level: Name = "h3" }: { galleries: Gallery[]; level?: HeadingLevel }) {
  return (
    <Grid kind="galleries" count={galleries.length}>
      {galleries.map((gallery) => (
        <li key={gallery.id} class="gallery">
          <a href={singlePath(PATH, gallery.slug)}>
            <Frame name={gallery.name} image={gallery.image} format="wide" />
            <Name class="name">{gallery.name}</Name>
          </a>
        </li>
      ))}
    </Grid>
  )
}
