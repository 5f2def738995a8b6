# Plain comments become doxygen's; a struct or enum that is also a typedef is declared once.
s|^( *)/\* |\1/** |
s|([;,{=0-9A-Za-z]) +/\* |\1 /**< |
/^typedef (struct|enum) [a-z_]+ \{/,/^\}/{
    s/^typedef //
    s/^\} [a-z_]+;/};/
}
