// Page of a single journal post.
import { UtcDay } from "../../core/html/moment"
import { Frame } from "../components/frame"
import { TitledSection } from "../components/section"
import type { Page } from "../part"
import { JOURNAL, listPath, singlePath } from "../paths"
import { excerpt, richText } from "../text/rich-text"
import type { Post, PostSummary } from "./data"
import { PostGrid } from "./grid"
import { ALL_POSTS, MORE_TO_READ } from "./strings"

/** @param others other posts, linked below the post */
export const renderPostPage =
  (post: Post, others: PostSummary[]): Page =>
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
            <UtcDay at={post.publishedAt} locale={view.locale} />
            {post.author && ` · ${view.strings.by(post.author)}`}
          </p>
          <h1>{post.name}</h1>
          {post.description && <p class="lede">{excerpt(post.description, 400)}</p>}
          {post.image && <Frame name={post.name} image={post.image} format="wide" eager />}
          <div class="prose">{richText(post.content)}</div>
        </article>
        {others.length > 0 && (
          <TitledSection
            id="more"
            title={view.translate(MORE_TO_READ)}
            more={{ href: listPath(JOURNAL), name: view.translate(ALL_POSTS) }}
          >
            <PostGrid view={view} posts={others} />
          </TitledSection>
        )}
      </>
    ),
  })
