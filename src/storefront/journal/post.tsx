// One post of the journal.
import { Frame } from "../components/frame"
import { TitledSection } from "../components/section"
import type { Page } from "../part"
import { JOURNAL, listPath, singlePath } from "../paths"
import { excerpt, richText } from "../text/rich-text"
import type { Post, PostSummary } from "./data"
import { PostGrid } from "./grid"
import { ALL_POSTS, MORE_TO_READ } from "./strings"

/** @param more other posts to read after it */
export const postPage =
  (post: Post, more: PostSummary[]): Page =>
  (view) => ({
    meta: {
      title: post.name,
      description: excerpt(post.description ?? post.content, 160),
      path: singlePath(JOURNAL, post.slug),
      image: post.image,
      type: "article",
    },
    section: listPath(JOURNAL),
    body: (
      <>
        <article class="article shell narrow">
          <p class="byline">
            <time datetime={post.publishedAt.toISOString()}>{view.date(post.publishedAt)}</time>
            {post.author && ` · ${view.words.by(post.author)}`}
          </p>
          <h1>{post.name}</h1>
          {post.description && <p class="lede">{excerpt(post.description, 400)}</p>}
          {post.image && <Frame name={post.name} image={post.image} format="wide" eager />}
          <div class="prose">{richText(post.content)}</div>
        </article>
        {more.length > 0 && (
          <TitledSection
            id="more"
            title={view.say(MORE_TO_READ)}
            more={{ href: listPath(JOURNAL), name: view.say(ALL_POSTS) }}
          >
            <PostGrid view={view} posts={more} />
          </TitledSection>
        )}
      </>
    ),
  })
