"""Hostile domains by the words of the error that answers them, and odd ones that are right; two blanks between them."""

REFUSED = {
    "no list of comparisons": r"""
a  b  a,b  a>>1  not a<b  a<b and b<1  a<b or b<1  [a<b]  [a<b,b<1]  a if a<b else b  a<<b  a>>b
""",
    "is not a formula": r"""
a b  a>  >a  a<  <  a<>b  a><b  a<=>b  a<b b<1  a<b,,b<1  ,  ,a<b  lambda<1  if a<b  a<1e  a<.  a<1.5.2  a b<1
2a<b  2 a<b  a<2b  (a<b  a<b)  ((a)<b
""",
    "only, not by": r"""
a=1  a==b  a!=b  a!=0  a=<1  a=>1  a=b  :=  a:=1
""",
    "< <= > >= only": r"""
a in b  a not in b  a is b
""",
    "is not allowed": r"""
a<b & b<1  a<b;b<1  {a<b}  lambda: a<b  'a'<b  "a"<b  a<'b'  __import__('os')<a  a@b<1  a%b<1  ~a<b
α<β  a＜b  а<b  a<½  a<２  a<b#c  a<b\  a`<b  $a<b  a?<b  a~<b  a<b!  a<b|b<1
""",
    "and nowhere else": r"""
a<b<c  a<b<c<a  zz1<a  z<a  a<c  c<d  a<c<b  a<b,c<d  a_<b
a<b>c
""",
    "is no number, nor a name": r"""
a<nan  a<NaN  a>nan  nan<a  a<inf  a<Infinity
""",
    "a comparison": r"""
(a<b)<1  a<(b<1)
""",
    "contains no parameter": r"""
1<2  1<1  2<1  0<1,a<b  pi<4  a<a  a-a<1  a-a<=0  a*0<1  a*b<a*b  a*b<b*a  a<a+1  a>a+1  a+1<a  a**(b-b)<2
a<b<=1>=0  a<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b<b
a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+a<b-1/3+1
""",
    "oo bounds a name by itself": r"""
oo>0  a+b<oo  a+b>-oo  a*b<oo  oo<a+b
""",
    "leaves no interval": r"""
a**2<0  a**2<=0  a**2+1<0  a**2<-1  a**2-2*a+1<=0  a**2-2*a+1<0
""",
    "No point was found": r"""
asin(a)<b,a>2
""",
    "holds nowhere": r"""
a**2+b**2<0  sqrt(a-b)<0  exp(a)<0  sin(a)>2  abs(a)<0  max(a,b)<min(a,b)  erf(a)>1  Phi(a)>1  a**2*b**2<0  (a-b)**2<0
a**2+b**2<-1  0<a<1,2<a+b<3,b<0  a>0,b>0,a*b<0  a>0,b>0,a+b<0  a<0,b<0,a+b>0  -1<a<1,-1<b<1,a+b>2
-1<a<1,-1<b<1,a+b>=2  a*b>1,a<0,b>0  a**2>4,-1<a<1  a**4+1<0  a+b<-1,a>0,b>0
""",
    "contradict each other": r"""
0<a<1,1<a  a>oo  a<-oo  a>=oo  a<=-oo  oo<a
""",
    "divides by zero": r"""
a<oo-oo  a<oo*0  1/(a-a)<0  a<1/0  a<0/0  a<0**-1
""",
    "exceeds 1000": r"""
a<1e1001
""",
    "not a fraction of size": r"""
a<10**65  a<9**9**9  a<b**65
""",
    "bits": r"""
a<(10**64)**64  a<exp(exp(exp(9)))
""",
    "is not real": r"""
sqrt(-1)<a  a<log(-1)  a<log(0)  a<asin(2)
""",
    "is not a number": r"""
a<Phi(1)  True<a  a<True  None<a  a<None  a<1j  a<1_000  a<0x10  a<0b1
""",
    "do not take": r"""
Phi2(a,b,1/2)<1
""",
    "order must be": r"""
hermite(a,2)<b
""",
    "parameter in an exponent": r"""
a**b<1  2**a<b  a**a<1  a<b**a
""",
    "Gaussian variable": r"""
z1<a  z1>0  a<z1  z1<z2  a<z1<b  a<z99  z0<1
""",
    "is taken": r"""
E<a  E>0  E[z1]<a  E[a]<b  erf<a  a<erf  sqrt<1  _a<1  a<__class__
""",
    "The name a is not known": r"""
c<1
""",
    "an attribute": r"""
a.b<1
""",
    "an index": r"""
a[0]<b
""",
    "function": r"""
a()<1  a(b)<1  foo(a)<1  f(a)<1  exec(a)<1  eval(a)<b
""",
    "^ is not": r"""
a^2<b  a<b^2
""",
    "operator or construct": r"""
a//b<1
""",
    "too narrow": r"""
a<sqrt(2)+sqrt(3),a>sqrt(5+2*sqrt(6))
a<sqrt(2)+sqrt(3),a>=sqrt(5+2*sqrt(6))
""",
    "conditions; the limit": r"""
a<x0<x1<x2<x3<x4<x5<x6<x7<x8<x9<x10<x11<x12<x13<x14<x15<x16<x17<x18<x19<b
""",
    "The domain is empty": r"""
a<b,b<a  a<b,b<=a  a<b<a  a+b<1,a+b>2  a+b<1,a+b>=1  a<b+1,b<a-1  a<b,a>b+1  0<a<b<a**2<1  a**2<b,b<a-1
""",
}

ACCEPTED = r"""
a<b,  (a<b)  a<=b,b<=a  a<=b<=a  a**2+b**2<=0  -1<=a<=1,-1<=b<=1,a+b>=2  -oo<a<oo  a<b+oo  1e-1000<a<2e-1000
0<a<1e-300  a**64<b**64  a/b<b/a  1/(a-b)<0  sqrt(a-b)<=0  log(a)<log(b)  asin(a)<b  exp(exp(a))<b  abs(a)<abs(b)
min(a,b)>1  Heaviside(a)<Heaviside(b)  erf(a)<2  Phi(a)<b  owens_t(a,b)<1  hermite(2,a)<b  a**0.5<b  pi<a<4  a<---b
((((((a))))))<b  a<1>b  0<=a<=b<=1  a<b<a+1e-40  0<a<b<a+1/1000<1  a**2+b**2<1e-40  a**2>4  a**2<=2,b<a
a**2-3*a+2<0  a**3-a<0  a**2+b**2>1e40
(a-b)**2+(a+b-1)**2<1e-12  a+b<1,a-b<1,-a+b<1,-a-b<1  a>sqrt(2)+sqrt(3)-sqrt(5+2*sqrt(6))
"""

# What cannot stand between blanks: nothing, characters that are not seen, and texts beyond the limits.
UNPRINTED = {
    "list of domains is empty": ["", " ", "\n", "\t"],
    "is not allowed": ["a\u200b<b", "a<b\0", "\ud800<a", "\ufeffa<b"],
    "nested": ["-" * 61 + "a<b", "(" * 61 + "a" + ")" * 61 + "<b"],
    "conditions; the limit": ["a<b," * 1000, ",".join(f"a<b+{k}" for k in range(20))],
    "digits; the limit": ["a<" + "9" * 201],
    "characters; the limit": ["a<b," * 1001, "a<b" + " +b" * 2000],
}
