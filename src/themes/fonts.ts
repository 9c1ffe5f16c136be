// Stacks of system fonts, so that pages load no web fonts and send no requests to font hosts.

export const fonts = {
  oldStyle: '"Iowan Old Style","Palatino Linotype",Palatino,P052,"Book Antiqua",Georgia,serif',
  transitional: 'Charter,"Bitstream Charter","Sitka Text",Cambria,Georgia,serif',
  didone: 'Didot,"Bodoni 72","Bodoni MT","Noto Serif Display","Playfair Display",P052,Georgia,serif',
  bookish: '"Hoefler Text","Bookman Old Style","URW Bookman",Constantia,Georgia,serif',
  slab: 'Rockwell,"Rockwell Nova","Roboto Slab","American Typewriter","Sitka Small",Georgia,serif',
  grotesque: '"Helvetica Neue","Neue Haas Grotesk Text Pro",Inter,"Segoe UI",Roboto,"Nimbus Sans",Arial,sans-serif',
  geometric: '"Avenir Next",Avenir,Montserrat,"Century Gothic","URW Gothic",Corbel,sans-serif',
  humanist: 'Optima,Candara,"Gill Sans Nova","Gill Sans",Ubuntu,"Noto Sans",sans-serif',
  rounded:
    'ui-rounded,"SF Pro Rounded",Quicksand,Nunito,"Hiragino Maru Gothic ProN","Arial Rounded MT Bold",sans-serif',
  condensed:
    '"Avenir Next Condensed","Helvetica Neue Condensed","Bahnschrift","Nimbus Sans Narrow","Arial Narrow",sans-serif',
  system: 'system-ui,-apple-system,"Segoe UI",Roboto,Inter,"Noto Sans",sans-serif',
  mono: 'ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,"Nimbus Mono PS",monospace',
}
