"""Makes templates/coast.svg of land-110m.json, which is in the npm package world-atlas 2.0.2:

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz && python3 coast.py package/land-110m.json > templates/coast.svg
"""
import json, sys
t=json.load(open(sys.argv[1]))
sx,sy=t['transform']['scale']; tx,ty=t['transform']['translate']
arcs=[]
for a in t['arcs']:
    x=y=0; pts=[]
    for dx,dy in a:
        x+=dx; y+=dy; pts.append((x*sx+tx,y*sy+ty))
    arcs.append(pts)
def ring(r):
    out=[]
    for i in r:
        p=arcs[i] if i>=0 else arcs[~i][::-1]
        out+=p if not out else p[1:]
    return out
d=''; n=0
def emit(pts):
    global d,n
    u=[pts[0]]
    for p in pts[1:]:
        if p!=u[-1]: u.append(p)
    if u[0]==u[-1]: u.pop()
    if len(u)<3: return
    d+='M%d %dl'%u[0]; px,py=u[0]; seg=[]
    for x,y in u[1:]:
        seg.append('%d %d'%(x-px,y-py)); px,py=x,y
    d+=' '.join(seg).replace(' -','-')+'z'; n+=1
def poly(rings):
    for r in rings:
        pts=ring(r); out=[]; off=0; last=None
        for x,y in pts:
            if last is not None and x-last>180: off-=360
            if last is not None and x-last<-180: off+=360
            last=x; out.append((x+off,y))
        if abs(out[-1][0]-out[0][0])>180: # around a pole
            out+=[(out[-1][0],-90),(out[0][0],-90)]
        tenths=[(round(10*x),round(-10*y)) for x,y in out]
        emit(tenths)
        for shift,beyond in ((-3600,max(x for x,_ in tenths)>1800),(3600,min(x for x,_ in tenths)<-1800)):
            if beyond: emit([(x+shift,y) for x,y in tenths])
for g in t['objects']['land']['geometries']:
    polys=g['arcs'] if g['type']=='MultiPolygon' else [g['arcs']]
    for p in polys: poly(p)
svg='''<svg xmlns="http://www.w3.org/2000/svg" viewBox="-180 -90 360 180"><!-- Coastlines of Natural Earth 1:110m (public domain), from land-110m.json of the npm package world-atlas 2.0.2 (ISC), as one path in tenths of a degree: x eastward, y southward. Made once: TopoJSON's deltas decoded and rounded; what crosses the date line is drawn on both sides. --><path transform="scale(.1)" fill="#7d939b" fill-opacity=".38" stroke="#7d939b" stroke-opacity=".75" stroke-width="2" d="%s"/></svg>
'''%d
sys.stdout.write(svg)
