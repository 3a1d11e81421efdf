// What keys do, in a dialog.
import { make } from "./panel.ts";

export type KeyList = readonly (readonly [keys: string, what: string])[];

export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor(parent: HTMLElement, title: string, keys: () => KeyList) {
    this.dialog = make(parent, "dialog", "", "help");
    this.dialog.setAttribute("aria-label", title);
    this.fill = () => {
      this.dialog.replaceChildren();
      make(this.dialog, "h2", title);
      const table = make(this.dialog, "table");
      for (const [key, what] of keys()) {
        const row = make(table, "tr");
        make(make(row, "th"), "kbd", key);
        make(row, "td", what);
      }
      const close = make(this.dialog, "button", "Close");
      close.type = "button";
      close.addEventListener("click", () => this.dialog.close());
    };
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
  }

  private readonly fill: () => void;

  get open(): boolean {
    return this.dialog.open;
  }
  show(): void {
    if (this.dialog.open) return this.dialog.close();
    this.fill();
    this.dialog.showModal();
  }
}
