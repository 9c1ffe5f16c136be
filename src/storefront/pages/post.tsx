// One post of the journal.
import { Frame } from "../components/frame"
import { PostGrid } from "../components/grid"
import { Section } from "../components/section"
import type { Page } from "../data"
import type { Sheet } from "../layout"
import { paths } from "../paths"
import { excerpt, richText } from "../text/rich-text"
import type { View } from "../view"

export function post(view: View, page: Extract<Page, { kind: "post" }>): Sheet {
  const { words } = view
  const { post, more = [] } = page
  return {
    meta: {
      title: post.name,
      description: excerpt(post.description ?? post.content, 160),
      path: paths.post(post.slug),
      image: post.image,
      type: "article",
    },
    section: paths.posts,
    body: (
      <>
        <article class="article shell narrow">
          <p class="byline">
            <time datetime={post.publishedAt.toISOString()}>{view.date(post.publishedAt)}</time>
            {post.author && ` · ${words.by(post.author)}`}
          </p>
          <h1>{post.name}</h1>
          {post.description && <p class="lede">{excerpt(post.description, 400)}</p>}
          {post.image && <Frame name={post.name} image={post.image} format="wide" eager />}
          <div class="prose">{richText(post.content)}</div>
        </article>
        {more.length > 0 && (
          <Section id="more" title={words.moreToRead} more={{ href: paths.posts, name: words.allPosts }}>
            <PostGrid view={view} posts={more} />
          </Section>
        )}
      </>
    ),
  }
}
