// Markdown files are texts; a rule in wrangler.toml says so.
declare module "*.md" {
  const text: string
  export default text
}
