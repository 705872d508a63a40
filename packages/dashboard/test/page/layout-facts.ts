import type { Page } from 'playwright-core'

/** Parts whose place and width follow from the screen and the style sheet, never from a text. */
const BOXES = [
  '.nav',
  '.top',
  '#view',
  '.rail',
  '.bottom-bar',
  '.panel',
  '.column',
  '.card',
  '.entity-list',
  '.reader',
  '.task-main',
  '.task-side',
  '.source-page',
  '.reasons > li',
  '.graph-picture',
]

/** What is passed on to what is inside, so that only a change is worth a line. */
const INHERITED = ['color', 'font-size', 'font-weight', 'font-style', 'white-space', 'text-align']

/** What each element has of its own, with the value that says nothing. */
const OWN = {
  'background-color': 'rgba(0, 0, 0, 0)',
  padding: '0px',
  'border-radius': '0px',
  opacity: '1',
  'text-decoration-line': 'none',
  'box-shadow': 'none',
} as const

interface Facts {
  /** Where the large parts are. */
  readonly boxes: readonly string[]
  /** How each kind of element looks. */
  readonly styles: readonly string[]
}

/**
 * The layout and the colours of what is shown, in computed style: the same on every machine, whatever its fonts are,
 * which pixels are not.
 */
export async function layoutFacts(page: Page): Promise<Facts> {
  return await page.evaluate(
    ({ selectors, inherited, own }) => {
      const shown = (element: Element): boolean => element.getClientRects().length > 0
      const boxes = selectors.flatMap((selector) =>
        [...document.querySelectorAll(selector)].filter(shown).map((element) => {
          const { x, width } = element.getBoundingClientRect()
          return `${selector} x=${Math.round(x)} width=${Math.round(width)}`
        }),
      )
      const styles = [...document.querySelectorAll('#app *')].filter(shown).map((element) => {
        const style = getComputedStyle(element)
        const around = getComputedStyle(element.parentElement ?? element)
        const value = (name: string): string => style.getPropertyValue(name)
        const seen = [
          ...inherited.filter((name) => value(name) !== around.getPropertyValue(name)),
          ...Object.entries(own).flatMap(([name, none]) => (value(name) === none ? [] : name)),
        ].map((name) => `${name}: ${value(name)}`)
        const borders = ['top', 'left'].flatMap((side) =>
          value(`border-${side}-style`) === 'none'
            ? []
            : `border-${side}: ${value(`border-${side}-width`)} ${value(`border-${side}-color`)}`,
        )
        const classes = [...element.classList].toSorted((one, other) => (one < other ? -1 : 1))
        return `${[element.localName, ...classes].join('.')} { ${[...seen, ...borders].join('; ')} }`
      })
      return { boxes: [...new Set(boxes)], styles: [...new Set(styles)] }
    },
    { selectors: BOXES, inherited: INHERITED, own: OWN },
  )
}

/** What sticks out of the screen to the right, or can be scrolled sideways. */
export async function sidewaysOf(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const isClipped = (element: Element): boolean =>
      element.closest('.visually-hidden, .clip, canvas, svg') !== null
    return [...document.querySelectorAll('#app, #app *')].flatMap((element) => {
      if (element.getClientRects().length === 0 || isClipped(element)) return []
      const name = [element.localName, ...element.classList].join('.')
      const { right } = element.getBoundingClientRect()
      const scrolls =
        element.scrollWidth > element.clientWidth + 1 &&
        /auto|scroll/.test(getComputedStyle(element).overflowX)
      if (scrolls) return [`${name} scrolls ${element.scrollWidth} in ${element.clientWidth}`]
      return right > innerWidth + 1 ? [`${name} ends at ${Math.round(right)}`] : []
    })
  })
}
