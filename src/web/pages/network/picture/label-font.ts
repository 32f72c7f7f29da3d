/** The font of labels, for canvases. */
export const LABEL_FONT = "500 13px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif";
