// Grid of post cards.
import { UtcDay } from "../../core/html/moment"
import { Frame } from "../components/frame"
import { Grid, type HeadingLevel } from "../components/grid"
import { JOURNAL, singlePath } from "../paths"
import { excerpt } from "../text/rich-text"
import type { View } from "../view"
import type { PostSummary } from "./data"

export function PostGrid({
  view,
  posts,
  level: Name = "h3",
}: {
  view: View
  posts: PostSummary[]
  level?: HeadingLevel
}) {
  return (
    <Grid kind="posts" count={posts.length}>
      {posts.map((post) => (
        <li key={post.id} class="post">
          <a href={singlePath(JOURNAL, post.slug)}>
            <Frame name={post.name} image={post.image} format="wide" />
            <UtcDay at={post.publishedAt} locale={view.locale} />
            <Name class="name">{post.name}</Name>
            {post.description && <p>{excerpt(post.description, 140)}</p>}
          </a>
        </li>
      ))}
    </Grid>
  )
}
