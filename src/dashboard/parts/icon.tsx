// Small shapes that go with a word. They say nothing by themselves: a reader hears the word.

const shapes = {
  pending: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  running: "M5 3.2v9.6l8-4.8z",
  completed: "M3 8.5l3.2 3.2L13 5",
  failed: "M4 4l8 8M12 4l-8 8",
  cancelled: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  expired: "M4 2.5h8M4 13.5h8M5 2.5c0 4 6 4 6 11M11 2.5c0 4-6 4-6 11",
  archived: "M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9V6.5M6.5 9h3",
  open: "M3 8h10M9.5 4.5 13 8l-3.5 3.5",
  paused: "M5.5 3.5v9M10.5 3.5v9",
  closed: "M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
  cooling: "M8 2v12M3 5l10 6M13 5 3 11",
  full: "M3 3.5h10v9H3zM3 6.5h10M3 9.5h10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.4 10.4 14 14",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
} as const

export type IconName = keyof typeof shapes

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}
