/** A table that sorts by its columns and draws only the rows near the viewport. The order is in the address. */
import "./table.css";
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { choice, choose } from "../state/address";
import { Icon } from "./icons";
import { useWindow } from "./useWindow";

type Sortable = number | string | null | undefined;

export interface Column<Row> {
  /** The name in the address. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What rows are sorted by; without it, the column does not sort. */
  readonly sort?: (row: Row) => Sortable;
  /** Whether it holds numbers, which stand at the right. */
  readonly num?: boolean;
  /** The width in CSS; the columns without one share the rest. */
  readonly width?: string;
  /** Shown only from this width of the page on: `s` is 600 px, `m` 900 px, `l` 1200 px. */
  readonly from?: "s" | "m" | "l";
}

export interface TableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly caption: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The height of each row in pixels. */
  readonly height?: number;
  /** The choice in the address that holds the order, such as `sort=-steps`. */
  readonly order?: string;
  /** A class for a row. */
  readonly classOf?: (row: Row) => string | undefined;
}

/** Show a table. Put a link with the class `row-link` into a cell, and the whole row leads there. */
export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { rows, columns, height = 36, order = "sort" } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const said = choice(order);
  const sorted = useMemo(() => sortRows(rows, columns, said), [rows, columns, said]);
  const { first, end } = useWindow(body, sorted.length, height);
  return (
    <table class="table" aria-rowcount={sorted.length + 1}>
      <caption class="unseen">{props.caption}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <Heading key={column.id} column={column} said={said} order={order} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {first > 0 && <Spacer height={first * height} />}
        {sorted.slice(first, end).map((row, index) => (
          <tr
            key={props.keyOf(row)}
            aria-rowindex={first + index + 2}
            class={props.classOf?.(row)}
            style={{ height: `${height}px` }}
          >
            {columns.map((column) => (
              <td key={column.id} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
        {end < sorted.length && <Spacer height={(sorted.length - end) * height} />}
      </tbody>
    </table>
  );
}

/** Keep the room of rows that are not drawn. It spans no columns: those that a narrow page hides would come back. */
function Spacer({ height }: { height: number }): JSX.Element {
  return (
    <tr class="table-spacer" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf<Row>(column: Column<Row>): string {
  return `${column.num ? "num" : ""}${column.from ? ` from-${column.from}` : ""}`.trim();
}

function Heading<Row>(props: { column: Column<Row>; said: string; order: string }): JSX.Element {
  const { column, said, order } = props;
  const way = said === column.id ? "ascending" : said === `-${column.id}` ? "descending" : undefined;
  // Numbers begin with the largest; the third press returns to the order in which the rows came.
  const ways = column.num ? [`-${column.id}`, column.id, ""] : [column.id, `-${column.id}`, ""];
  const next = ways[(ways.indexOf(way ? said : "") + 1) % 3] ?? "";
  return (
    <th scope="col" class={classOf(column)} aria-sort={column.sort ? (way ?? "none") : undefined} style={{ width: column.width }}>
      {column.sort ? (
        <button type="button" class="table-sort" onClick={() => choose({ [order]: next })}>
          <span>{column.title}</span>
          <Icon name={way === "ascending" ? "up" : way === "descending" ? "down" : "sort"} size={12} />
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

/** Return rows in the order that `said` names: `steps`, or `-steps` for the largest first. Unknown values come last. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], said: string): readonly Row[] {
  const name = said.replace(/^-/, "");
  const by = columns.find((column) => column.id === name)?.sort;
  if (!by) return rows;
  const sign = said.startsWith("-") ? -1 : 1;
  const keyed = rows.map((row) => [by(row), row] as const);
  keyed.sort(([a], [b]) => {
    if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1;
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), undefined, { numeric: true });
  });
  return keyed.map(([, row]) => row);
}
