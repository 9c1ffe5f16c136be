// Renders the RSS feed of a shop's journal (https://www.rssboard.org/rss-specification).
import type { PostSummary } from "../journal/data"
import { absoluteUrl, FEED, HOME, JOURNAL, singlePath } from "../paths"
import { excerpt } from "../text/rich-text"
import { element, escapeXml, XML_DECLARATION } from "./xml"

/** A post with the text that its excerpt is taken from. */
export interface FeedPost extends PostSummary {
  content: string
}

const EXCERPT_LENGTH = 500

/**
 * Renders the feed.
 * @param shop the store's name, and the scheme and host of its links
 * @param posts the latest published posts, newest first
 */
export function renderFeed({ name, rootUrl }: { name: string; rootUrl: string }, posts: readonly FeedPost[]): string {
  const [latest] = posts
  const channel = [
    element("title", name),
    element("link", absoluteUrl(rootUrl, HOME)),
    element("description", name),
    `<atom:link href="${escapeXml(absoluteUrl(rootUrl, FEED))}" rel="self" type="application/rss+xml"/>`,
    ...(latest ? [element("lastBuildDate", latest.publishedAt.toUTCString())] : []),
    ...posts.map((post) => renderItem(rootUrl, post)),
  ]
  return `${XML_DECLARATION}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>\n${channel.join("\n")}\n</channel></rss>\n`
}

function renderItem(rootUrl: string, { slug, name, description, content, publishedAt }: FeedPost): string {
  const url = absoluteUrl(rootUrl, singlePath(JOURNAL, slug))
  const fields = [
    element("title", name),
    element("link", url),
    `<guid isPermaLink="true">${escapeXml(url)}</guid>`,
    element("pubDate", publishedAt.toUTCString()),
    element("description", excerpt(description || content, EXCERPT_LENGTH)),
  ]
  return `<item>${fields.join("")}</item>`
}
